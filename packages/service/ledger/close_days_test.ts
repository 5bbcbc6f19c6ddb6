import { after, before, describe, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { riyadhDayStart } from "@sabika/terms";
import { openTestDatabase, type TestDatabase } from "../../../test/support/test_database.ts";
import { closeDays } from "./close_days.ts";
import { unitOf } from "./difference_unit.ts";
import { openAccounts } from "./open_accounts.ts";
import { reconcile } from "./reconcile.ts";
import { openStatement } from "./statement.ts";

const DAY_MS = 86_400_000;
/** A day of Riyadh begins at 21:00 UTC. */
const dayOf = (ms: number) => new Date(ms + 3 * 3_600_000).toISOString().slice(0, 10);

describe("closing balances of days", () => {
  let tested: TestDatabase;
  let partnerId: number;
  let secondId: number;
  const nowMs = Date.now();
  const closings = async () =>
    (await tested.database.sql<{ client: string; number: number; cash: number; gold: number }[]>`
      select client_id as client, next_number::float8 as number, cash_halalas::float8 as cash,
        gold_micrograms::float8 as gold
      from day_closings join partners using (partner_id) order by 1, 2`)
      .map(({ client, number, cash, gold }) => [client, number, cash, gold]);
  const statement = (day: string, id = partnerId) =>
    openStatement(tested.app.past, { partnerId: id, day, nowMs });

  const openPartner = async (name: string) => {
    const { sql } = tested.database;
    const [row] = await sql<{ id: number }[]>`
      insert into partners (client_id, name, settlement_iban)
      values (${name}, ${name}, 'SA0380000000608010167519') returning partner_id as id`;
    await openAccounts(sql, row!.id);
    return row!.id;
  };

  /**
   * Posts 1, 2 and 4 halalas on each of four days: as it begins, at noon, and in its last millisecond; of gold too
   * for the second, a day before its money.
   */
  before(async () => {
    tested = await openTestDatabase();
    const { sql } = tested.database;
    partnerId = await openPartner("bank-one");
    secondId = await openPartner("bank-two");
    await sql`
      insert into transfers (partner_id, number, amount, posted_at, source_id, asset, debit_account,
        credit_account, source_kind)
      select ${secondId}, n, amount,
        ${
      new Date(nowMs).toISOString()
    }::timestamptz - case when n < 4 then 3 else 2 end * interval '24 hours',
        gen_random_uuid(),
        asset, debit, credit, 'order'
      from (values (1, 20, 'XAU', 'vault', 'allocation'), (2, 9, 'XAU', 'allocation', 'gold'),
        (3, 2, 'XAU', 'gold', 'allocation'), (4, 8, 'SAR', 'bank', 'cash'),
        (5, 3, 'SAR', 'cash', 'house_cash')) as t (n, amount, asset, debit, credit)`;
    await sql`
      update accounts set cash_halalas = 5, house_cash_halalas = 3, bank_halalas = -8,
        gold_micrograms = 7, allocation_micrograms = 13, vault_micrograms = -20, last_transfer = 5
      where partner_id = ${secondId}`;
    let number = 0;
    for (const daysAgo of [5, 3, 2, 0]) {
      const startMs = riyadhDayStart(dayOf(nowMs - daysAgo * DAY_MS))!;
      for (const [amount, sinceMs] of [[1, 0], [2, DAY_MS / 2], [4, DAY_MS - 1]] as const) {
        const at = new Date(Math.min(startMs + sinceMs, nowMs)).toISOString();
        await sql`
          insert into transfers (partner_id, number, amount, posted_at, source_id, asset,
            debit_account, credit_account, source_kind)
          values (${partnerId}, ${++number}, ${amount}, ${at}, gen_random_uuid(), 'SAR', 'bank',
            'cash', 'funding')`;
      }
    }
    await sql`
      update accounts set cash_halalas = 28, bank_halalas = -28, last_transfer = 12
      where partner_id = ${partnerId}`;
  });
  after(() => tested.close());

  /** Reads the statements of five days of one partner, and of the other's two, one with gold and one with money. */
  const assertStatements = async () => {
    const cases = [
      [6, 0, 0],
      [5, 0, 7],
      [4, 7, 7],
      [2, 14, 21],
      [0, 21, 28],
    ];
    for (const [daysAgo, opening, closing] of cases) {
      const day = (await statement(dayOf(nowMs - daysAgo! * DAY_MS)))!;
      assertEquals(
        [day.opening.sarHalalas, day.closing.sarHalalas],
        [BigInt(opening!), BigInt(closing!)],
        `${daysAgo} days ago`,
      );
    }
    const days = [
      [3, { sarHalalas: 0n, goldMicrograms: 0n }, { sarHalalas: 0n, goldMicrograms: 7n }],
      [2, { sarHalalas: 0n, goldMicrograms: 7n }, { sarHalalas: 5n, goldMicrograms: 7n }],
    ] as const;
    for (const [daysAgo, ...balances] of days) {
      const { opening, closing } = (await statement(dayOf(nowMs - daysAgo * DAY_MS), secondId))!;
      assertEquals([opening, closing], balances);
    }
  };

  test("a statement needs no closing balances", async () => {
    await assertStatements();
    await assertRejects(
      () => statement(dayOf(nowMs), secondId + 1),
      Error,
      `partner ${secondId + 1} has no accounts`,
    );
  });

  test("each past day with transfers is closed once, and today is not", async () => {
    assertEquals(await closeDays(tested.app), 5);
    assertEquals(await closings(), [
      ["bank-one", 4, 7, 0],
      ["bank-one", 7, 14, 0],
      ["bank-one", 10, 21, 0],
      ["bank-two", 4, 0, 7],
      ["bank-two", 6, 5, 7],
    ]);
    assertEquals(await closeDays(tested.app), 0);
  });

  test("first_transfer_at() is the first at or after a moment, or one past the partner's last", async () => {
    const firstAt = async (id: number, ms: number) => {
      const [row] = await tested.database.sql<{ number: number }[]>`
        select first_transfer_at(${id}::integer, ${new Date(ms).toISOString()}::timestamptz)::float8
          as number`;
      return row!.number;
    };
    for (const [daysAgo, first, past] of [[5, 1, 4], [3, 4, 7], [2, 7, 10], [0, 10, 13]] as const) {
      const ms = riyadhDayStart(dayOf(nowMs - daysAgo * DAY_MS))!;
      const found = [await firstAt(partnerId, ms), await firstAt(partnerId, ms + DAY_MS)];
      assertEquals(found, [first, past]);
    }
    assertEquals(await firstAt(partnerId, 0), 1);
    assertEquals([await firstAt(secondId, 0), await firstAt(secondId, nowMs)], [1, 6]);
  });

  test("a statement is the same with closing balances", assertStatements);

  test("a day of seven transfers is closed in pieces of three, and its statement is the same", async () => {
    const { sql } = tested.database;
    const id = await openPartner("bank-three");
    const day = dayOf(nowMs - 3 * DAY_MS);
    const at = new Date(riyadhDayStart(day)!).toISOString();
    await sql`
      insert into transfers (partner_id, number, amount, posted_at, source_id, asset, debit_account,
        credit_account, source_kind)
      select ${id}, n, n, ${at}, gen_random_uuid(), 'SAR', 'bank', 'cash', 'funding'
      from generate_series(1, 7) n`;
    await sql`
      update accounts set cash_halalas = 28, bank_halalas = -28, last_transfer = 7
      where partner_id = ${id}`;
    const read = async () => {
      const { opening, closing, count } = (await statement(day, id))!;
      return { opening, closing, count };
    };
    const before = await read();
    assertEquals([before.opening.sarHalalas, before.closing.sarHalalas], [0n, 28n]);
    const counts = [];
    for (let call = 0; call < 4; call++) {
      const [row] = await tested.app.sql`select close_days(100, 3) as count`;
      counts.push(row!["count"]);
    }
    assertEquals(counts, [1, 1, 1, 0]);
    assertEquals((await closings()).filter(([client]) => client === "bank-three"), [
      ["bank-three", 4, 6, 0],
      ["bank-three", 7, 21, 0],
      ["bank-three", 8, 28, 0],
    ]);
    assertEquals(await read(), before);
    const found = await reconcile(tested.database, { partnerId: id });
    assertEquals(found.filter(({ check }) => check === "closings"), []);
  });

  test("a wrong closing balance is found by reconcile, and none can be changed", async () => {
    const { sql } = tested.database;
    const closingsOf = async () =>
      (await reconcile(tested.database)).filter(({ check }) => check === "closings");
    assertEquals(await closingsOf(), []);
    const refused = await sql`update day_closings set cash_halalas = 0`.catch((error) =>
      error.code
    );
    assertEquals(typeof refused, "string");
    await sql`alter table day_closings disable trigger day_closings_immutable`;
    await sql`
      update day_closings set cash_halalas = 15 where partner_id = ${partnerId} and next_number = 7`;
    await sql`update day_closings set gold_micrograms = 8
      where partner_id = ${secondId} and next_number = 6`;
    assertEquals(
      (await closingsOf()).map((it) => [it.subject, unitOf(it), it.expected, it.actual])
        .sort(),
      [
        ["cash before 10", "money", 7n, 6n],
        ["cash before 7", "money", 7n, 8n],
        ["gold before 6", "gold", 0n, 1n],
      ],
    );
  });
});
