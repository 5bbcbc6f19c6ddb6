import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { encodeBase64Url, encodeUtf8 } from "@sabika/protocol";
import { createReceiptSigner, makeReceipts, recountReceipts } from "@sabika/service/receipts";
import { makeReserves, recountReserves, signReserves } from "@sabika/service/reserves";
import { reconcileSince } from "@sabika/service/ledger";
import { actAs } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { random } from "../../../test/support/random.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { openTestTrading, trade } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";

// Decision D108: receipts and reserves are what the rows say that they are of.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const admin = await openTestAdmin();
const { database, secrets } = admin;
const trading = await openTestTrading({ database });
const banks = [
  await admitTestPartner(database, { cashHalalas: 100_000_00n }),
  await admitTestPartner(database, { cashHalalas: 50_000_00n }),
] as const;
const serials = await database.sql<{ serial: string }[]>`select serial from vault_bars`;
assert((await actAs(admin, "vault.count", { bars: serials.map(({ serial }) => serial) })).ok);
for (const bank of [...banks, banks[0]]) await trade(trading, bank);
await trading.withdraw(banks[0].withdraw(1_000_00n));
let clock = 0;
const signer = createReceiptSigner({ control: database, secrets, now: () => clock += 60_000 });
while (await makeReceipts(database, signer));
// All of this was three days ago; since then one order was executed.
await byForce(
  database,
  "update transfers set posted_at = posted_at - interval '3 days'",
  "update pool_versions set made_at = made_at - interval '3 days'",
  "update vault_counts set counted_at = counted_at - interval '3 days'",
  "update orders set executed_at = executed_at - interval '3 days'",
  "delete from receipts",
  "delete from receipt_marks",
);
await trade(trading, banks[0]);
while (await makeReceipts(database, signer));
// What the worker has passed was made some time ago.
await byForce(database, "update events set created_at = created_at + interval '20 minutes'");
const parts = { control: database, cells: [database], random };
for (const days of [3, 2]) {
  // At noon in Riyadh after a day that ended so long ago.
  const dayMs = Math.floor((Date.now() + 3 * HOUR_MS) / DAY_MS - days) * DAY_MS;
  assertEquals((await makeReserves(parts, dayMs + DAY_MS + 9 * HOUR_MS)).made, 1);
}
await signReserves(database, signer);
after(() => admin.close());

async function found(whole: boolean): Promise<string[]> {
  const { database: control } = admin;
  const differences = [
    ...await recountReceipts({ control, cell: control, whole }),
    ...await recountReserves({ control, cells: [control], whole }),
  ];
  return differences.map(({ check, subject }) =>
    `${check} ${subject.replace(/ord_\S+:/, "ORDER:").replace(/\d{4}-\d\d-\d\d/, "DAY")}`
  ).sort();
}

/** Changes rows with triggers off; returns what is found, incrementally and whole, before they are as they were. */
async function foundAfter(table: string, change: string): Promise<[string[], string[]]> {
  const { database } = admin;
  const [written] = await database.sql<{ columns: string }[]>`
    select string_agg(column_name, ',') as columns from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`;
  const { columns } = written!;
  await byForce(database, `create table kept as table ${table}`, change);
  try {
    return [await found(false), await found(true)];
  } finally {
    await byForce(
      database,
      `delete from ${table}`,
      `insert into ${table} (${columns}) overriding system value select ${columns} from kept`,
      "drop table kept",
    );
  }
}

const NEWEST = "order_id = (select max(order_id::text)::uuid from orders)";
const OLDEST = "order_id = (select min(order_id::text)::uuid from orders)";

test("receipts and reserves are as they were made", async () => {
  const rows = await admin.database.sql<{ n: number }[]>`
    select count(*)::int as n from receipts union all select count(*)::int from reserves`;
  assertEquals(rows.map(({ n }) => n), [4, 2]);
  assertEquals([await found(false), await found(true)], [[], []]);
});

const payload = encodeBase64Url(encodeUtf8('{"gold_ug":"9"}'));
const CASES: [what: string, table: string, change: string, faults: string[]][] = [
  [
    "an order's amount",
    "orders",
    `update orders set total_halalas = total_halalas + 1 where ${NEWEST}`,
    ["receipts ORDER: differs"],
  ],
  [
    "a version's hash",
    "pool_versions",
    "update pool_versions set hash = repeat('0', 64)",
    Array(4).fill("receipts ORDER: differs"),
  ],
  [
    "the name of who counted",
    "vault_counts",
    "update vault_counts set counted_by = 'mallory'",
    [...Array(4).fill("receipts ORDER: differs"), "reserves DAY: differs", "reserves DAY: differs"],
  ],
  [
    "what a receipt says",
    "receipts",
    `update receipts set jws = regexp_replace(jws, '[.].*[.]', '.${payload}.') where ${NEWEST}`,
    ["receipts ORDER: differs"],
  ],
  [
    "a receipt's signature",
    "receipts",
    `update receipts set jws = left(jws, -86) || right((select jws from receipts where ${OLDEST}), 86) where ${NEWEST}`,
    ["receipts ORDER: altered"],
  ],
  [
    "a receipt that is gone",
    "receipts",
    `delete from receipts where ${NEWEST}`,
    ["receipts ORDER: missing"],
  ],
  [
    "a receipt key",
    "receipt_keys",
    `update receipt_keys set public_jwk = jsonb_set(public_jwk, '{x}', public_jwk -> 'y')`,
    [
      ...Array(4).fill("receipts ORDER: unknown_key"),
      "reserves DAY: signature unknown_key",
      "reserves DAY: signature unknown_key",
    ],
  ],
  [
    "a reserve and its hash",
    "reserves",
    `update reserves set body = replace(body, '"in_transit":1000', '"in_transit":999'), hash = encode(sha256(convert_to(
      replace(body, '"in_transit":1000', '"in_transit":999'), 'UTF8')), 'hex')
      where day = (select max(day) from reserves)`,
    [
      "reserves DAY: differs",
      "reserves DAY: not as the audit log says",
      "reserves DAY: signature differs",
    ],
  ],
  [
    "the bank's balance",
    "reserve_banks",
    "insert into reserve_banks (day, amount_halalas) select max(day), 1 from reserves",
    ["reserves DAY: differs"],
  ],
  [
    "an opening",
    "reserve_openings",
    `update reserve_openings set gold_micrograms = gold_micrograms + 1
      where (day, partner_id) = (select max(day), min(partner_id) from reserve_openings)`,
    ["reserves DAY: differs", "reserves gold of DAY"],
  ],
  [
    "an old transfer",
    "accounts",
    "update accounts set gold_micrograms = gold_micrograms - 1, allocation_micrograms = allocation_micrograms + 1 " +
    "where partner_id = (select max(partner_id) from accounts)",
    ["reserves gold of DAY", "reserves gold of DAY"],
  ],
];
for (const [what, table, change, faults] of CASES) {
  test(`${what} is found`, async () => {
    const [since, whole] = await foundAfter(table, change);
    assertEquals([since, whole], [faults, faults]);
    assertEquals(await found(true), []);
  });
}

test("a receipt that was signed before a count of shortly before was recorded is as it was made", async () => {
  const { database: control } = admin;
  const { partnerId } = banks[1];
  await byForce(
    control,
    `insert into vault_counts select gen_random_uuid(), null, executed_at - interval '1 ms', 'late' from orders
      where partner_id = ${partnerId}`,
  );
  assertEquals(await recountReceipts({ control, cell: control, partnerId, whole: true }), []);
  await byForce(control, "delete from vault_counts where counted_by = 'late'");
});

test("after a whole recount the next looks at what came since", async () => {
  assertEquals((await reconcileSince(admin.database, { whole: true })).differences, []);
  await byForce(admin.database, "update recounts set since = now() + interval '1 hour'");
  const old = `update orders set total_halalas = total_halalas + 1 where ${OLDEST}`;
  assertEquals(await foundAfter("orders", old), [[], ["receipts ORDER: differs"]]);
  const stray = `delete from orders where ${OLDEST}`;
  assertEquals(await foundAfter("orders", stray), [[], ["receipts ORDER: undue"]]);
  const [since] = await foundAfter(
    "reserve_openings",
    "update reserve_openings set cash_halalas = 7",
  );
  assertEquals(new Set(since), new Set(["reserves DAY: differs", "reserves cash of DAY"]));
});
