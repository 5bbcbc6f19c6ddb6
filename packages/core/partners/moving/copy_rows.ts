import { textArray } from "../../store/array_text.ts";
import type { Sql } from "../../store/database.ts";
import type { Transaction } from "../../store/sql.ts";

/**
 * The tables with rows of a partner's own, in an order in which what is referred to comes first. What is
 * not copied: its accounts and its lane, which go by themselves (`leave_cell`); acts that its cell has
 * booked, which stay that cell's; digests of keys and recounts, which are made anew.
 */
const TABLES = [
  "quotes",
  "orders",
  "transfers",
  "events",
  "trade_keys",
  "only idempotency_keys",
  "nonces",
  "fundings",
  "withdrawals",
  "day_closings",
  "balance_checkpoints",
  "webhook_attempts",
  "event_deliveries",
] as const;

const PAGE = 2_000;

/** What one pass over a partner's rows has done. */
export interface Pass {
  readonly rows: number;
  /** A transaction number: what later passes bring was written by it or a later one. */
  readonly horizon: string;
}

/**
 * Copies a partner's rows from the cell that it is at home in to another one, each table by one
 * snapshot; every row is compared once it is there. A pass leaves out what was committed before the
 * horizon of the pass before: rows carry the number of the transaction that wrote them last.
 *
 * @param source a transaction of the cell it is at home in, read committed
 * @param of.since the horizon of the pass before; left out = all rows
 * @throws Error when a row that is there already is another
 */
export async function copyRows(
  source: Transaction,
  target: Sql,
  { partnerId, since }: { partnerId: number; since?: string },
): Promise<Pass> {
  await source`set local statement_timeout = 0`;
  const [{ horizon } = { horizon: "0" }] = await source<{ horizon: string }[]>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon`;
  // A transaction's number in a row has 32 bits; what looks newer than it is, is copied again.
  const later = since === undefined
    ? ""
    : `and age(t.xmin) <= age('${BigInt(since) % 4_294_967_296n}'::xid)`;
  let rows = 0;
  for (const table of TABLES) {
    await source.unsafe(`declare moving no scroll cursor for
      select t::text as row from ${table} t where partner_id = ${partnerId} ${later}`);
    while (true) {
      const page = await source.unsafe<{ row: string }[]>(`fetch ${PAGE} from moving`);
      if (page.length === 0) break;
      await receive(target, partnerId, table.replace("only ", ""), page.map(({ row }) => row));
      rows += page.length;
    }
    await source`close moving`;
  }
  return { rows, horizon };
}

async function receive(
  target: Sql,
  partnerId: number,
  table: string,
  rows: readonly string[],
): Promise<void> {
  const [received] = await target<{ same: bigint }[]>`
    select receive_rows(${partnerId}::integer, ${table}, ${textArray(rows)}) as same`;
  if (received!.same === BigInt(rows.length)) return;
  throw new Error(`rows of ${table} of partner ${partnerId} are others in the cell it moves to`);
}

/** What two cells must agree on before a partner leaves one of them. */
export interface Tally {
  readonly [table: string]: string;
}

/** Counts a partner's rows, table by table, and sums up its transfers. */
export async function tallyRows(sql: Sql | Transaction, partnerId: number): Promise<Tally> {
  const counts = TABLES.map((table) =>
    `(select count(*)::text from ${table} where partner_id = ${partnerId}) as ${
      table.replace("only ", "")
    }`
  );
  const [row] = await sql.unsafe<{ [table: string]: string }[]>(`select ${counts.join(", ")},
    coalesce((select string_agg(concat_ws(' ', debit_account, credit_account, n, amount), ', '
      order by debit_account, credit_account) from (
        select debit_account, credit_account, count(*) as n, sum(amount) as amount
        from transfers where partner_id = ${partnerId} group by 1, 2) s), '') as sums`);
  return { ...row };
}

/** The balances that transfers come to and accounts show, as text; the same when all is well. */
export async function sumsAndBalances(
  sql: Sql,
  { partnerId, accounts }: { partnerId: number; accounts: string },
): Promise<readonly [sums: string, balances: string]> {
  const [row] = await sql<{ sums: string; balances: string }[]>`
    with moved as (
      select credit_account as account, amount from transfers where partner_id = ${partnerId}
      union all select debit_account, -amount from transfers where partner_id = ${partnerId}
    ), total as (select account, sum(amount) as amount from moved group by 1),
    own as (select (${accounts}::text::accounts).*)
    select string_agg(coalesce(t.amount, 0)::text, ' ' order by b.account) as sums,
      string_agg(b.balance::text, ' ' order by b.account) as balances
    from own, lateral (values ('cash', cash_halalas), ('house_cash', house_cash_halalas),
      ('withdrawals', withdrawals_halalas), ('bank', bank_halalas), ('gold', gold_micrograms),
      ('allocation', allocation_micrograms), ('vault', vault_micrograms)) as b (account, balance)
    left join total t using (account)`;
  return [row!.sums, row!.balances];
}
