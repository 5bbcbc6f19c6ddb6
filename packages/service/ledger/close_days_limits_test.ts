import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { riyadhDayStart } from "@sabika/terms";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { closeDays } from "./close_days.ts";
import { openAccounts } from "./open_accounts.ts";

const tested = await openTestDatabase();
const { sql } = tested.database;
after(tested.close);

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** A midnight in Riyadh, epoch milliseconds: the one after the next, since the clock can only be set forward. */
const MIDNIGHT_MS = riyadhDayStart(new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10))!;

const momentOf = (minutes: number) => new Date(MIDNIGHT_MS + minutes * MINUTE_MS).toISOString();

/** Sets the clock of the service so many minutes after midnight (Decision D111). */
const setClock = (minutes: number) =>
  sql`insert into scenario (clock_ahead_ms)
    select ceil(extract(epoch from ${momentOf(minutes)}::timestamptz - clock_timestamp()) * 1000)
    on conflict (singleton) do update set clock_ahead_ms = excluded.clock_ahead_ms`;

/** A transfer's moment in minutes from midnight, its amount in halalas or micrograms, and its accounts. */
type Posted = readonly [minutes: number, amount: number, debit: string, credit: string];

/** Opens a partner and posts its transfers, whose balances nobody reads here. */
async function openPartner(name: string, posted: readonly Posted[]): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into partners (client_id, name, settlement_iban)
    values (${name}, ${name}, 'SA0380000000608010167519') returning partner_id as id`;
  const { id } = row!;
  await openAccounts(sql, id);
  for (const [index, [minutes, amount, debit, credit]] of posted.entries()) {
    await sql`
      insert into transfers (partner_id, number, amount, posted_at, source_id, asset, debit_account,
        credit_account, source_kind)
      values (${id}, ${index + 1}, ${amount}, ${momentOf(minutes)},
        gen_random_uuid(), ${debit === "bank" ? "SAR" : "XAU"}, ${debit}, ${credit}, 'order')`;
  }
  await sql`update accounts set last_transfer = ${posted.length} where partner_id = ${id}`;
  return id;
}

async function closeOnce(closings: number, transfers: number): Promise<number> {
  const [row] = await tested.app.sql<{ closed: number }[]>`
    select close_days(${closings}::integer, ${transfers}::integer) as closed`;
  return row!.closed;
}

/** The closings of a partner: the number after the last transfer, and the balances. */
async function closingsOf(id: number): Promise<number[][]> {
  const rows = await sql<{ number: number; cash: number; gold: number }[]>`
    select next_number::int as number, cash_halalas::int as cash, gold_micrograms::int as gold
    from day_closings where partner_id = ${id} order by 1`;
  return rows.map(({ number, cash, gold }) => [number, cash, gold]);
}

test("a call ends after so many closings, or once it has summed so many transfers", async () => {
  // Neither moves cash or gold.
  const allocated: Posted = [-1, 10, "vault", "allocation"];
  const ids = [];
  for (const name of ["one", "two", "three"]) {
    ids.push(await openPartner(name, [allocated, allocated]));
  }
  await setClock(60);
  const cases = [[1, 100, 1], [2, 100, 2], [9, 2, 1], [9, 3, 2], [9, 4, 2], [9, 5, 3]];
  for (const [closings, transfers, expected] of cases) {
    await byForce(tested.database, "delete from day_closings");
    assertEquals(
      await closeOnce(closings!, transfers!),
      expected,
      `${closings} closings, ${transfers} transfers`,
    );
  }
  for (const id of ids) assertEquals(await closingsOf(id), [[3, 0, 0]]);
});

test("a day is closed ten minutes after its midnight in Riyadh, with what came before that", async () => {
  const id = await openPartner("at-midnight", [
    [-1, 1, "bank", "cash"],
    [-1 / MINUTE_MS, 2, "bank", "cash"],
    [0, 4, "bank", "cash"],
  ]);
  const closed = [];
  for (const minutes of [-5, 9, 10, 1_449, 1_450]) {
    await setClock(minutes);
    closed.push(await closeDays(tested.app));
  }
  assertEquals(closed, [0, 0, 1, 0, 1]);
  assertEquals(await closingsOf(id), [[3, 3, 0], [4, 7, 0]]);
});

test("days are closed also where a clock was set back", async () => {
  const late = -10, early = -2_000;
  const id = await openPartner(
    "set-back",
    [late, late, early, late, late, late].map((minutes, n) => [minutes, 2 ** n, "bank", "cash"]),
  );
  await setClock(60);
  const closed = [];
  for (let call = 0; call < 5; call++) closed.push(await closeOnce(9, 2));
  assertEquals(closed, [1, 1, 1, 1, 0]);
  assertEquals(await closingsOf(id), [[3, 3, 0], [4, 7, 0], [6, 31, 0], [7, 63, 0]]);
});
