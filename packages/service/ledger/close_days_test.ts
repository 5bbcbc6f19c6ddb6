import { after, before, describe, test } from "node:test";
import { assertEquals } from "@std/assert";
import { openTestDatabase, type TestDatabase } from "../../../test/support/test_database.ts";
import { closeDays } from "./close_days.ts";
import { openAccounts } from "./open_accounts.ts";
import { reconcile } from "./reconcile.ts";
import { openStatement, riyadhDayStart } from "./statement.ts";

const DAY_MS = 86_400_000;
/** A day of Riyadh begins at 21:00 UTC. */
const dayOf = (ms: number) => new Date(ms + 3 * 3_600_000).toISOString().slice(0, 10);

describe("closing balances of days", () => {
  let tested: TestDatabase;
  let partnerId: number;
  const nowMs = Date.now();
  const closings = async () =>
    (await tested.database.sql<{ number: number; cash: number }[]>`
      select next_number::float8 as number, cash_halalas::float8 as cash from day_closings
      where partner_id = ${partnerId} order by 1`).map((row) => ({ ...row }));
  const statement = (day: string) => openStatement(tested.app, { partnerId, day, nowMs });

  /** Posts 1, 2 and 4 halalas on each of four days: as it begins, at noon, and in its last millisecond. */
  before(async () => {
    tested = await openTestDatabase();
    const { sql } = tested.database;
    const [row] = await sql<{ partnerId: number }[]>`
      insert into partners (client_id, name, settlement_iban)
      values ('bank-one', 'Bank One', 'SA0380000000608010167519') returning partner_id as "partnerId"`;
    ({ partnerId } = row!);
    await openAccounts(sql, partnerId);
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

  test("each past day with transfers is closed once, and today is not", async () => {
    assertEquals(await closeDays(tested.app), 3);
    assertEquals(await closings(), [
      { number: 4, cash: 7 },
      { number: 7, cash: 14 },
      { number: 10, cash: 21 },
    ]);
    assertEquals(await closeDays(tested.app), 0);
  });

  test("a statement is the same with closing balances as without", async () => {
    for (
      const [daysAgo, opening, closing] of [[6, 0, 0], [5, 0, 7], [4, 7, 7], [2, 14, 21], [
        0,
        21,
        28,
      ]]
    ) {
      const day = (await statement(dayOf(nowMs - daysAgo! * DAY_MS)))!;
      assertEquals(
        [day.opening.sarHalalas, day.closing.sarHalalas],
        [BigInt(opening!), BigInt(closing!)],
        `${daysAgo} days ago`,
      );
    }
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
    assertEquals(
      (await closingsOf()).map(({ subject, expected, actual }) => [subject, expected, actual]),
      [
        ["cash before 7", 7n, 8n],
        ["cash before 10", 7n, 6n],
      ],
    );
  });
});
