import { sqlFile } from "@sabika/database";
import { assertEquals } from "@std/assert";
import { findDifferences } from "../../../test/support/ledger/find_differences.ts";
import { openWrittenLedger } from "../../../test/support/ledger/written_ledger.ts";
import { after, test } from "node:test";

const { database, close } = await openWrittenLedger();
after(close);
const statement = await sqlFile("statements/vault_differences.sql", import.meta.url)();

/** What each of the partners 1 to 3 of a written ledger has, in micrograms. */
const KILOGRAM = 1_000_000_000;

/** An act of control on a partner of a cell: its result there, and the result of its booking here, if there are any. */
function act(
  id: number,
  partnerId: number,
  name: string,
  micrograms: number,
  { result, booked, cell = "b" }: { result?: string; booked?: string; cell?: string },
): string {
  const actId = `'00000000-0000-0000-0000-${String(id).padStart(12, "0")}'`;
  const ended = result === undefined ? "null, null" : `'${result}', now()`;
  return `insert into cell_acts
      (act_id, cell_id, partner_id, name, subject_id, amount, result, finished_at)
      values (${actId}, '${cell}', ${partnerId}, '${name}', gen_random_uuid(), ${micrograms}, ${ended});
    ${
    booked === undefined
      ? ""
      : `insert into booked_acts values (${partnerId}, ${actId}, '${booked}', now())`
  }`;
}

const bar = (serial: string, pool: string, micrograms: number, columns = "") =>
  `insert into vault_bars (serial, refiner, fineness_ten_thousandths, weight_micrograms, pool_id)
    values ('${serial}', 'Test', 10000, ${micrograms}, '${pool}');
  update vault_bars set serial = serial ${columns} where serial = '${serial}'`;
const setVault = (pool: string, bars: number, allocated: number) =>
  `update vault set bars_micrograms = ${bars}, allocated_micrograms = ${allocated}
    where pool_id = '${pool}'`;

/** Two pools in control, and partners of a cell on both. */
const CONTROL = [
  "insert into cells (cell_id) values ('b')",
  "insert into vault (pool_id) values ('second')",
  "update accounts set pool_number = 2 where partner_id = 3",
  `insert into partners (partner_id, client_id, name, settlement_iban, cell_id, pool_number)
    overriding system value values (5, 'partner-5', 'Test', '', 'b', null),
      (6, 'partner-6', 'Test', '', 'b', 2)`,
  bar("A", "main", 2 * KILOGRAM),
  bar("B", "main", 5_000),
  bar("C", "main", 11, ", removed_at = now()"),
  bar("D", "main", 13, ", encumbrance = 'pledged'"),
  bar("E", "second", KILOGRAM + 700),
  act(1, 5, "vault.allocate", 1_000, { result: "booked" }),
  act(2, 5, "vault.allocate", 200, {}),
  act(3, 5, "vault.allocate", 30, { result: "refused" }),
  act(4, 5, "vault.release", 400, { result: "booked" }),
  act(5, 5, "vault.release", 7, {}),
  act(6, 5, "partner.enter", 3_000, {}),
  act(7, 5, "partner.leave", 50, { result: "booked", booked: "refused" }),
  act(8, 5, "funding.credit", 9, { result: "booked", booked: "booked" }),
  act(9, 1, "vault.allocate", 77, { result: "booked", booked: "booked", cell: "main" }),
  act(10, 6, "vault.allocate", 600, { result: "booked", booked: "refused" }),
  act(11, 6, "partner.enter", 60, { result: "refused", booked: "booked" }),
  setVault("main", 2 * KILOGRAM + 5_000, 2 * KILOGRAM + 3_750),
  setVault("second", KILOGRAM + 700, KILOGRAM + 600),
];

/** A cell, whose bookings alone say what its partners have; its vault is control's. */
const CELL = [
  "insert into deployment (environment, data_version, cell_id) values ('sandbox', 1, 'b')",
  "insert into cells (cell_id) values ('b')",
  act(1, 1, "vault.allocate", KILOGRAM + 1_000, { booked: "booked" }),
  act(2, 1, "vault.allocate", 200, { result: "booked" }),
  act(3, 1, "vault.allocate", 30, { result: "booked", booked: "refused" }),
  act(4, 1, "vault.release", 400, { booked: "booked" }),
  act(5, 1, "vault.release", 7, { result: "booked" }),
  act(6, 1, "partner.leave", 600, { booked: "booked" }),
  act(7, 1, "vault.allocate", 5, { booked: "booked", cell: "main" }),
  act(8, 1, "funding.credit", 9, { result: "booked", booked: "booked" }),
  act(9, 2, "partner.enter", KILOGRAM, { booked: "booked" }),
  act(10, 3, "vault.allocate", KILOGRAM, { booked: "booked" }),
  setVault("main", 5, 3),
];

/** Recounts the vault, and the first partner alone. */
const find = (...changes: string[]) => findDifferences(database, statement, [[null], [1]], changes);

test("in control a pool's bars and promises are recounted", async () => {
  assertEquals(await find(...CONTROL), [[], []]);
  const add = (column: string) =>
    `update vault set ${column}_micrograms = ${column}_micrograms + 1`;
  const bars = [
    "vault - bars 2000005000 2000005001",
    "vault - bars of second 1000000700 1000000701",
  ];
  assertEquals(await find(...CONTROL, add("bars")), [bars, []]);
  const named = "insert into deployment (environment, data_version) values ('sandbox', 1)";
  assertEquals(await find(named, ...CONTROL, add("bars")), [bars, []]);
  assertEquals(await find(...CONTROL, add("allocated")), [[
    "vault - promises 2000003750 2000003751",
    "vault - promises of second 1000000600 1000000601",
  ], []]);
});

test("promises that the bars do not cover are found, and those of nothing", async () => {
  const unchecked = "alter table vault drop constraint vault_backs_allocations";
  const few = [
    setVault("main", 2 * KILOGRAM + 3_749, 2 * KILOGRAM + 3_750),
    setVault("second", KILOGRAM + 600, KILOGRAM + 600),
  ];
  assertEquals(await find(unchecked, ...CONTROL, ...few), [[
    "vault - bars 2000005000 2000003749",
    "vault - bars of second 1000000700 1000000600",
    "vault - promises 2000003750 2000003750",
  ], []]);
  const gone = ["vault_bars", "cell_acts", "accounts"].map((table) => `delete from ${table}`);
  assertEquals(await find(...CONTROL, ...gone), [[
    "vault - bars 0 2000005000",
    "vault - bars of second 0 1000000700",
    "vault - promises 0 2000003750",
    "vault - promises of second 0 1000000600",
  ], []]);
});

test("in a cell the gold of partners is what was booked for them", async () => {
  assertEquals(await find(...CELL), [[], []]);
  const more = [
    `update accounts set allocation_micrograms = allocation_micrograms + 5,
      vault_micrograms = vault_micrograms - 5 where partner_id = 1`,
    `update accounts set gold_micrograms = gold_micrograms + 4,
      vault_micrograms = vault_micrograms - 4 where partner_id in (2, 4)`,
  ];
  assertEquals(await find(...CELL, ...more), [[
    "vault 1 grants 1000000000 1000000005",
    "vault 2 grants 1000000000 1000000004",
    "vault 4 grants 0 4",
  ], ["vault 1 grants 1000000000 1000000005"]]);
});
