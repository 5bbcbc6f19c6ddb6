import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestMarket, trade, value } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { type EntryFilter, listEntries } from "./account_entries.ts";

const { database, trading, close } = await openTestMarket();
after(close);
const bank = await admitTestPartner(database, { cashHalalas: 100_000_000n });
const { partnerId } = bank;
// 1 is the opening balance's transfer, 2 the allocation's; each order has its cash's and its gold's.
for (const side of ["buy", "sell", "buy"] as const) await trade(trading, bank, side);
value(await trading.withdraw(bank.withdraw(500n)));
await trade(trading, await admitTestPartner(database, { cashHalalas: 100_000_000n }));
const FIRST_MS = Date.parse("2026-01-01T00:00:00Z");
const HOUR_MS = 3_600_000;
await byForce(
  database,
  `update transfers set posted_at = '2026-01-01T00:00:00Z'::timestamptz + number * interval '1 hour'
    where partner_id = ${partnerId}`,
);

/** Lists transfers; returns their numbers, and the next page's if there is one. */
async function list(filter: Partial<EntryFilter> = {}) {
  const { entries, next } = await listEntries(database, { partnerId, limit: 9, ...filter });
  const numbers = entries.map(({ number }) => Number(number));
  return next === undefined ? numbers : { numbers, next };
}

/** The numbers of the bank's transfers, oldest first, among those of its account. */
async function numbersOf(account: string): Promise<number[]> {
  const rows = await database.sql<{ number: bigint }[]>`
    select number from transfers where partner_id = ${partnerId}
      and ${account} in (debit_account, credit_account) order by number desc`;
  return rows.map(({ number }) => Number(number));
}

test("a partner's transfers are listed newest first, page by page", async () => {
  const last = Number((await list() as number[])[0]);
  assertEquals(await list(), Array.from({ length: last }, (_, n) => last - n));
  assertEquals(await list({ limit: last }), Array.from({ length: last }, (_, n) => last - n));
  assertEquals(await list({ limit: 2 }), { numbers: [last, last - 1], next: BigInt(last - 1) });
  assertEquals(await list({ limit: 2, before: 4n }), { numbers: [3, 2], next: 2n });
  assertEquals(await list({ limit: 2, before: 3n }), [2, 1]);
  assertEquals(await list({ partnerId: partnerId + 1_000 }), []);
});

test("transfers are listed from a moment up to before another", async () => {
  const at = (hours: number) => FIRST_MS + hours * HOUR_MS;
  assertEquals(await list({ fromMs: at(3), toMs: at(5) }), [4, 3]);
  assertEquals(await list({ fromMs: at(3) + 1, toMs: at(5) + 1 }), [5, 4]);
  assertEquals(await list({ toMs: at(3) }), [2, 1]);
  assertEquals(await list({ fromMs: at(3), toMs: at(5), before: 4n }), [3]);
});

test("transfers of one account are listed, whichever side it is on", async () => {
  for (const account of ["cash", "gold", "withdrawals"] as const) {
    const numbers = await numbersOf(account);
    assertEquals(numbers.length > 0, true);
    assertEquals(await list({ account }), numbers, account);
  }
  const [newest = 0, second = 0, third = 0] = await numbersOf("gold");
  assertEquals(await list({ account: "gold", limit: 2 }), {
    numbers: [newest, second],
    next: BigInt(second),
  });
  assertEquals(await list({ account: "gold", before: BigInt(second) }), [third]);
  const fromMs = FIRST_MS + third * HOUR_MS;
  const toMs = FIRST_MS + newest * HOUR_MS;
  assertEquals(await list({ account: "gold", fromMs, toMs }), [second, third]);
  assertEquals(await list({ account: "gold", partnerId: partnerId + 1_000 }), []);
});

test("an account's transfers are searched among 10,000, and the list goes on before them", async () => {
  const [{ last } = { last: 0n }] = await database.sql<{ last: bigint }[]>`
    select last_transfer as last from accounts where partner_id = ${partnerId}`;
  const pretend = (number: bigint) =>
    byForce(
      database,
      `update accounts set last_transfer = ${number} where partner_id = ${partnerId}`,
    );
  const [newest = 0n, ...older] = (await numbersOf("gold")).map(BigInt);
  const all = [newest, ...older].map(Number);
  // All that are looked at, but the newest of gold is the last of them.
  await pretend(newest + 9_999n);
  assertEquals(await list({ account: "gold" }), { numbers: [Number(newest)], next: newest });
  assertEquals(await list({ account: "gold", before: newest }), older.map(Number));
  await pretend(10_000n);
  assertEquals(await list({ account: "gold" }), all);
  await pretend(10_001n);
  assertEquals(await list({ account: "gold" }), { numbers: all, next: 2n });
  const before = 10_003n;
  assertEquals(await list({ account: "gold", before }), { numbers: all, next: 2n });
  assertEquals(await list({ account: "gold", before, fromMs: FIRST_MS + 2 * HOUR_MS }), all);
  assertEquals(await list({ before: 10_003n }), await list());
  await pretend(last);
});
