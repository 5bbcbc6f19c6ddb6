import { type Sql, textArray, type Transaction } from "@sabika/database";

/**
 * The tables with rows of a partner's own, in an order in which what is referred to comes first. What is
 * not copied: its accounts and its lane, which go by themselves (`leave_cell`); acts that its cell has
 * booked, which stay that cell's; digests of keys and recounts, which are made anew.
 */
export const TABLES = [
  "quotes",
  "orders",
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

/** Where rows of a table are read: of the keys without those that are in `trade_keys`. */
export function rowsOf(table: MovedTable): string {
  return table === "idempotency_keys" ? "only idempotency_keys" : table;
}

const PAGE = 2_000;

/** What one pass over a partner's rows has done. */
export interface Pass {
  readonly rows: number;
  /** A transaction number: what later passes bring was written by it or a later one. */
  readonly horizon: string;
}

/**
 * Copies a partner's rows from the cell that it is at home in to another one, by one
 * snapshot; every row is compared once it is there. A pass leaves out what was committed before the
 * horizon of the pass before, and looks at each row for that.
 *
 * @param source a transaction of the cell it is at home in
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
  const isOfPartner = `t.partner_id = ${partnerId}`;
  const which = since === undefined
    ? isOfPartner
    : `${isOfPartner} and ${writtenSince("t", since)}`;
  const sent = await sendRows(source, target, { partnerId, which: () => which });
  return { rows: sent.reduce((sum, { rows }) => sum + rows, 0), horizon };
}

/**
 * A condition: this row's last writer is that transaction or a later one. Rows carry 32 bits of its
 * number; what looks newer than it is fulfils it too.
 */
export function writtenSince(row: string, horizon: string): string {
  return `age(${row}.xmin) <= age('${BigInt(horizon) % 4_294_967_296n}'::xid)`;
}

/**
 * Copies a partner's rows, and compares them once they are there.
 *
 * @param of.which which rows `t` of a table: a condition
 * @returns how many there were of each table, in the order in which they were sent
 * @throws Error when a row that is there already is another
 */
export async function sendRows(
  source: Transaction,
  target: Sql,
  { partnerId, which }: { partnerId: number; which: (table: MovedTable) => string },
): Promise<{ table: MovedTable; rows: number }[]> {
  // One after the other, in this order: a cursor's plan is not parallel.
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
  return sent;
}

async function receive(
  target: Sql,
  partnerId: number,
  table: MovedTable,
  rows: readonly string[],
): Promise<void> {
  const [received] = await target<{ same: bigint }[]>`
    select receive_rows(${partnerId}::integer, ${table}, ${textArray(rows)}) as same`;
  if (received!.same === BigInt(rows.length)) return;
  throw new Error(`rows of ${table} of partner ${partnerId} are others in the cell it moves to`);
}
