import { type AnySql, textArray, type Transaction } from "@sabika/database";

/**
 * The tables with a partner's own rows, in an order in which referenced rows come first. Not copied are
 * its accounts and lane, which move separately (`leave_cell`); acts that its cell has booked, which stay
 * there; and digests of keys, recounts, sums of margins and marks of receipts, which are made again.
 */
export const TABLES = [
  "quotes",
  "orders",
  "evidence",
  "evidence_days",
  "receipts",
  "transfers",
  "events",
  "trade_keys",
  "idempotency_keys",
  "nonces",
  "fundings",
  "withdrawals",
  "day_closings",
  "balance_checkpoints",
  "webhook_attempts",
  "event_deliveries",
] as const;
export type MovedTable = (typeof TABLES)[number];

/** The source of a table's rows; `idempotency_keys` without the inherited `trade_keys`. */
export function rowsOf(table: MovedTable): string {
  return table === "idempotency_keys" ? "only idempotency_keys" : table;
}

const PAGE = 2_000;

/** The result of one pass over a partner's rows. */
export interface Pass {
  readonly rows: number;
  /** A transaction number: later passes only copy what it or later transactions wrote. */
  readonly horizon: string;
}

/**
 * Copies a partner's rows from its cell to another one, from one snapshot, and compares every copied row.
 * A pass reads every row, but leaves out what was committed before the horizon of the previous pass.
 *
 * @param source a transaction in the partner's cell
 * @param of.since the horizon of the previous pass; when left out, all rows are copied
 * @throws Error when the target already has a different row
 */
export async function copyRows(
  source: Transaction,
  target: AnySql,
  { partnerId, since }: { partnerId: number; since?: string },
): Promise<Pass> {
  await source`set local statement_timeout = 0`;
  const [{ horizon } = { horizon: "0" }] = await source<{ horizon: string }[]>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon`;
  const isOfPartner = `t.partner_id = ${partnerId}`;
  const which = since === undefined
    ? isOfPartner
    : `${isOfPartner} and ${writtenSince("t", since)}`;
  const sent = await sendRows(source, target, { partnerId, which: () => which });
  return { rows: sent.reduce((sum, { rows }) => sum + rows, 0), horizon };
}

/**
 * The condition that a row was last written by that transaction or a later one. Rows have only 32 bits of
 * the number, so some older rows can meet it too.
 */
export function writtenSince(row: string, horizon: string): string {
  return `age(${row}.xmin) <= age('${BigInt(horizon) % 4_294_967_296n}'::xid)`;
}

/**
 * Copies a partner's rows, and compares them once they are there.
 *
 * @param of.which the condition on the rows `t` of a table
 * @returns the number of rows of each table, in the order in which they were sent
 * @throws Error when the target already has a different row
 */
export async function sendRows(
  source: Transaction,
  target: AnySql,
  { partnerId, which }: { partnerId: number; which: (table: MovedTable) => string },
): Promise<{ table: MovedTable; rows: number }[]> {
  // In this order, one after another: a cursor has no parallel plan.
  const all = TABLES.map((table, n) =>
    `select ${n}, t::text from ${rowsOf(table)} t where ${which(table)}`
  );
  const sent = TABLES.map((table) => ({ table, rows: 0 }));
  await source.unsafe(`declare moving no scroll cursor for
    select * from (${all.join("\nunion all ")}) as found (n, row)`);
  for (let isLast = false; !isLast;) {
    const page = await source.unsafe<{ n: number; row: string }[]>(`fetch ${PAGE} from moving`);
    for (const [n, { table }] of sent.entries()) {
      const rows = page.filter((found) => found.n === n).map(({ row }) => row);
      if (rows.length > 0) await receive(target, partnerId, table, rows);
      sent[n]!.rows += rows.length;
    }
    isLast = page.length < PAGE;
  }
  await source`close moving`;
  await sendPrices(source, target, which("quotes"));
  return sent;
}

/** Copies the prices that quotes were made at. */
async function sendPrices(source: Transaction, target: AnySql, whichQuotes: string): Promise<void> {
  for (let after = "0", isLast = false; !isLast;) {
    const page = await source.unsafe<{ number: string; row: string }[]>(`
      select p.price_number::text as number, p::text as row from prices p
      where p.price_number > ${after}
        and p.price_number in (select t.price_number from quotes t where ${whichQuotes})
      order by p.price_number limit ${PAGE}`);
    const rows = textArray(page.map(({ row }) => row));
    const [received] = await target<{ same: bigint }[]>`select receive_prices(${rows}) as same`;
    if (received!.same !== BigInt(page.length)) {
      throw new Error("prices are others in the cell that the partner moves to");
    }
    after = page.at(-1)?.number ?? after;
    isLast = page.length < PAGE;
  }
}

async function receive(
  target: AnySql,
  partnerId: number,
  table: MovedTable,
  rows: readonly string[],
): Promise<void> {
  const [received] = await target<{ same: bigint }[]>`
    select receive_rows(${partnerId}::integer, ${table}, ${textArray(rows)}) as same`;
  if (received!.same === BigInt(rows.length)) return;
  throw new Error(`rows of ${table} of partner ${partnerId} are others in the cell it moves to`);
}
