import { after, test } from "node:test";
import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { byForce } from "../../../test/support/by_force.ts";
import { random } from "../../../test/support/random.ts";
import { openTestSecrets } from "../../../test/support/test_admin.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { openTestMarket, trade } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { ensureReceiptKey, readReceiptKeys } from "@sabika/identity/receipts";
import { createReceiptSigner, SignerAwayError } from "../receipts/mod.ts";
import { commitBalances, readReserve, type ReserveOpening, verifyReserve } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";
import { openStatement } from "../ledger/statement.ts";
import {
  createReserveReader,
  findReserve,
  makeReserves,
  openReserve,
  signReserves,
} from "./mod.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const { database, app, trading, close } = await openTestMarket();
after(close);
const { sql } = database;
const reader = createReserveReader({ database: app });
const parts = { control: app, cells: [app], random };
const nowMs = Date.now();
/** A day in Riyadh, so many days ago. */
const dayAgo = (days: number) =>
  new Date(nowMs - days * DAY_MS + 3 * HOUR_MS).toISOString().slice(0, 10);
const [FIRST, SECOND] = [dayAgo(3), dayAgo(2)];
/** When a day has ended, by Riyadh's clock. */
const endOf = (day: string) => Date.parse(day) + DAY_MS - 3 * HOUR_MS;

const banks = [
  await admitTestPartner(database, { cashHalalas: 500_000_00n }),
  await admitTestPartner(database, { cashHalalas: 70_000_00n }),
  await admitTestPartner(database, {}),
] as const;
for (const bank of banks.slice(0, 2)) await trade(trading, bank);
await trading.withdraw(banks[0].withdraw(1_000_00n));
// All of this becomes the first day's, and the next trade is of today.
await byForce(
  database,
  "update transfers set posted_at = posted_at - interval '3 days'",
  "update pool_versions set made_at = made_at - interval '3 days'",
);
await trade(trading, banks[0]);

const open = (control: AnySql, day: string) =>
  openReserve(control, { day, who: "an auditor", from: "a test" }) as Promise<ReserveOpening[]>;
const mine = (day: string, at: 0 | 1 | 2) => reader.opening(banks[at].partnerId, day);
const faultsOf = async (day: string, more: object = {}) => {
  const { text, hash } = (await findReserve(app.sql, day))!;
  return (await verifyReserve({ text, hash, openings: await open(sql, day), ...more }))
    .faults;
};

test("a day's reserve waits for the bank's balance until noon, and says when there is none", async () => {
  assertEquals((await makeReserves(parts, endOf(FIRST) + 12 * HOUR_MS - 1)).made, 0);
  assertEquals((await makeReserves(parts, endOf(FIRST) + 12 * HOUR_MS)).made, 1);
  assertEquals(readReserve((await findReserve(app.sql, FIRST))!.text).cash.bankHalalas, null);
  await sql`insert into reserve_banks (day, amount_halalas) values (${SECOND}::text::date, 56900012)`;
  assertEquals((await makeReserves(parts, endOf(SECOND) + HOUR_MS - 1)).made, 0);
  assertEquals((await makeReserves(parts, endOf(SECOND) + HOUR_MS)).made, 1);
  assertEquals(readReserve((await findReserve(app.sql, SECOND))!.text).cash.bankHalalas, 56900012n);
  assertEquals((await makeReserves(parts, endOf(SECOND) + HOUR_MS)).made, 0);
});

test("a reserve has the balances of the day's end, as each partner's statement says", async () => {
  const openings: ReserveOpening[] = [];
  for (const at of [0, 1, 2] as const) {
    const opening = (await mine(FIRST, at))!;
    const { partnerId } = banks[at];
    const statement = await openStatement(app.past, { partnerId, day: FIRST, nowMs });
    assertEquals(
      { sarHalalas: opening.cashHalalas, goldMicrograms: opening.goldMicrograms },
      statement!.closing,
    );
    openings.push(opening);
  }
  const { cash, pools } = readReserve((await findReserve(app.sql, FIRST))!.text);
  assertEquals(cash.obligationsHalalas, openings.reduce((sum, one) => sum + one.cashHalalas, 0n));
  assertEquals(cash.inTransitHalalas, 1_000_00n);
  const [version] = await sql<{ number: number; fine: bigint }[]>`
    select number, fine_micrograms as fine from pool_versions order by number desc limit 1`;
  assertEquals(pools, [{
    id: "main",
    version: version!.number,
    fineMicrograms: version!.fine,
    obligationsMicrograms: openings.reduce((sum, one) => sum + one.goldMicrograms, 0n),
    count: null,
  }]);
  assert(pools[0]!.obligationsMicrograms > 0n);
});

test("the openings come to the totals, each day follows the one before, with other salts", async () => {
  assertEquals(await faultsOf(FIRST), []);
  const { text: previousText } = (await findReserve(app.sql, FIRST))!;
  assertEquals(await faultsOf(SECOND, { previousText }), []);
  const [one, other] = [(await mine(FIRST, 0))!, (await mine(SECOND, 0))!];
  assertEquals(one.goldMicrograms, other.goldMicrograms);
  assertNotEquals(one.salt, other.salt);
});

test("the operator signs each reserve once, with the key of receipts; nobody has attested it", async () => {
  const secrets = await openTestSecrets(database);
  let clock = 0;
  // A minute passes between two looks at the clock: no signer is left alone after a failure.
  const signer = createReceiptSigner({ control: app, secrets, now: () => clock += 60_000 });
  await assertRejects(() => signReserves(app, signer), SignerAwayError);
  assertEquals((await findReserve(app.sql, FIRST))!.signature, null);
  await ensureReceiptKey({ database, secrets, nowMs });
  await signReserves(app, signer);
  const { signature, attestation, isAttested } = (await findReserve(app.sql, FIRST))!;
  await signReserves(app, signer);
  assertEquals((await findReserve(app.sql, FIRST))!.signature, signature);
  assertEquals([attestation, isAttested], [null, false]);
  const keys = await readReceiptKeys(database.sql);
  assertEquals(await faultsOf(FIRST, { signature, keys }), []);
  assertEquals(await faultsOf(SECOND, { signature, keys }), ["wrong_signature"]);
});

test("a server finds a partner's own opening, and reads no table of them", async (t) => {
  const opening = (await mine(FIRST, 0))!;
  const { text: body } = (await findReserve(app.sql, FIRST))!;
  assert(readReserve(body).commitments.includes(await commitBalances(opening)));
  assertEquals((await mine(FIRST, 1))!.partner === opening.partner, false);
  assertEquals(await reader.opening(banks[0].partnerId, dayAgo(9)), undefined);
  if (database === app) return t.diagnostic("the embedded database has one role");
  await assertRejects(() => app.sql`select * from reserve_openings`, Error, "permission denied");
  await assertRejects(
    () => app.sql`insert into reserves select * from reserves`,
    Error,
    "permission",
  );
});

test("the database keeps no reserve that is not what its openings say", async () => {
  const day = dayAgo(1);
  const { text: body, hash } = (await findReserve(app.sql, SECOND))!;
  const openings = await open(sql, SECOND);
  const keep = (text: string) =>
    sql.begin(async (tx): Promise<void> => {
      await tx`select keep_reserve(${SECOND}::text::date + 1, ${text}::text, array_agg(partner_id), array_agg(pool_id),
        array_agg(cash_halalas), array_agg(gold_micrograms), array_agg(encode(salt, 'hex')))
        from reserve_openings where day = ${SECOND}::text::date`;
      throw new Error("rolled back");
    });
  const commitments = await Promise.all(openings.map((one) => commitBalances({ ...one, day })));
  const before = JSON.parse(body);
  const cash = { ...before.cash, bank: null };
  const right = { ...before, cash, day, previous: hash, commitments: commitments.sort() };
  const write = (change: object) => JSON.stringify({ ...right, ...change });
  if (Date.now() < endOf(day) + HOUR_MS) {
    await assertRejects(() => keep(write({})), Error, "has not ended an hour ago");
    return;
  }
  await assertRejects(() => keep(write({})), Error, "rolled back");
  const wrong = [
    { day: SECOND },
    { previous: null },
    { commitments: commitments.slice(1) },
    { commitments: commitments.toReversed() },
    { cash: { ...cash, bank: 1 } },
    { cash: { ...right.cash, obligations: right.cash.obligations + 1 } },
    { pools: [] },
    { pools: [{ ...right.pools[0], obligations_ug: "1" }] },
  ];
  for (const change of wrong) {
    await assertRejects(() => keep(write(change)), Error, "is not what its openings say");
  }
});

test("an altered balance or reserve is found by what a partner or the auditor has kept", async () => {
  const kept = (await findReserve(app.sql, FIRST))!;
  const opening = (await mine(FIRST, 0))!;
  const less = opening.cashHalalas - 1n;
  await byForce(
    database,
    `update reserve_openings set cash_halalas = ${less} where day = '${FIRST}' and client_id = '${opening.partner}'`,
  );
  assertEquals(await faultsOf(FIRST), ["not_committed", "openings_missing", "cash_differs"]);
  assertEquals(await faultsOf(FIRST, { openings: undefined, mine: opening }), []);
  // Whoever alters the reserve as well, alters its hash, which the next day's names, and the partner has kept.
  const reserve = JSON.parse(kept.text);
  const commitments = await Promise.all((await open(sql, FIRST)).map(commitBalances));
  reserve.commitments = commitments.sort();
  const text = JSON.stringify(reserve);
  const found = await verifyReserve({ text, hash: kept.hash, mine: opening });
  assertEquals(found.faults, ["other_hash", "not_committed"]);
  const next = await verifyReserve({
    text: (await findReserve(app.sql, SECOND))!.text,
    previousText: text,
  });
  assertEquals(next.faults, ["other_previous"]);
});

test("the partners of all cells are in a reserve, and without a cell none is made", async (t) => {
  const control = await openTestDatabase();
  const cell = await openTestDatabase();
  t.after(async () => {
    await control.close();
    await cell.close();
  });
  await admitTestPartner(control.database, { cashHalalas: 5n });
  const insert = `insert into partners (partner_id, client_id, name, settlement_iban)
      overriding system value values (900, 'far', 'Far', 'SA0380000000608010167519')`;
  await byForce(control.database, insert);
  const accounts =
    "insert into accounts (partner_id, cash_halalas, bank_halalas) values (900, 7, -7)";
  await byForce(cell.database, insert, accounts);
  const noonMs = endOf(SECOND) + 12 * HOUR_MS;
  const alone = { control: control.app, cells: [control.app], random };
  await assertRejects(() => makeReserves(alone, noonMs), Error, "is not what its openings say");
  assertEquals(await findReserve(control.app.sql, SECOND), undefined);
  assertEquals((await makeReserves({ ...alone, cells: [control.app, cell.app] }, noonMs)).made, 1);
  const openings = await open(control.database.sql, SECOND);
  assertEquals(openings.find(({ partner }) => partner === "far")!.cashHalalas, 7n);
  const { text } = (await findReserve(control.app.sql, SECOND))!;
  assertEquals((await verifyReserve({ text, openings })).faults, []);
  // Balances of the day's end: the test partner's money came later.
  assertEquals(readReserve(text).cash.obligationsHalalas, 7n);
});

test("a day's reserve is kept, and its evidence closed, no earlier than an hour after its end", async () => {
  const tomorrow = dayAgo(-1);
  const errorAt = async (atMs: number, statement: string) => {
    const failed = await assertRejects(() =>
      sql.begin(async (tx) => {
        await tx`insert into scenario (clock_ahead_ms) values (${atMs - Date.now()})`;
        await tx.unsafe(statement);
        throw new Error("rolled back");
      })
    );
    return (failed as Error).message;
  };
  const keep = `select keep_reserve('${tomorrow}', '{}', '{}', '{}', '{}', '{}', '{}')`;
  const closeDay = `select close_evidence_day('${tomorrow}')`;
  for (const statement of [keep, closeDay]) {
    const early = await errorAt(endOf(tomorrow) + HOUR_MS - 300_000, statement);
    assertEquals(early, `the day ${tomorrow} has not ended an hour ago`);
  }
  assertEquals(await errorAt(endOf(tomorrow) + HOUR_MS, closeDay), "rolled back");
});
