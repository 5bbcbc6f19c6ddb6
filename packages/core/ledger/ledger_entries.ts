import { type Account, formatId, type LedgerEntry } from "@sabika/protocol";
import type { Database } from "../store/database.ts";
import { type Listing, type ListQuery, moment, readCursor, toPage } from "../store/list_query.ts";
import type { AnySql } from "../store/sql.ts";

interface Row {
  number: bigint;
  asset: "SAR" | "XAU";
  debit_account: Account;
  credit_account: Account;
  amount: bigint;
  source_kind: string;
  source_id: string;
  posted_ms: bigint;
}

const COLUMNS = `t.number, t.asset, t.debit_account, t.credit_account, t.amount, t.source_kind,
  t.source_id, (extract(epoch from t.posted_at) * 1000)::bigint as posted_ms from transfers t`;

/** The partner's transfers, newest first. `status` has no meaning here. */
export async function listLedgerEntries(
  { sql }: Database,
  query: ListQuery,
): Promise<Listing<LedgerEntry>> {
  const cursor = readCursor("ledger", query.cursor);
  if (!cursor.ok) return cursor;
  const { partnerId, createdFromMs, createdToMs, idempotencyKey, limit } = query;
  const at = (ms: number) =>
    sql`first_transfer_at(${partnerId}::integer, ${moment(ms)}::timestamptz)`;
  const rows = await sql<Row[]>`
    select ${sql.unsafe(COLUMNS)}
    where t.partner_id = ${partnerId}::integer
      ${cursor.key === undefined ? sql`` : sql`and t.number < ${BigInt(cursor.key)}`}
      ${createdFromMs === undefined ? sql`` : sql`and t.number >= (select ${at(createdFromMs)})`}
      ${createdToMs === undefined ? sql`` : sql`and t.number < (select ${at(createdToMs)})`}
      ${idempotencyKey === undefined ? sql`` : ofKey(sql, partnerId, idempotencyKey)}
    order by t.number desc limit ${limit + 1}::integer`;
  return toPage("ledger", limit, rows, readEntry, (row) => String(row.number));
}

/** What the key's own resource posted when it was made: found by its moment, not by an index. */
function ofKey(sql: AnySql, partnerId: number, key: string) {
  const made = sql`(select k.created_at from idempotency_keys k
    where k.partner_id = ${partnerId}::integer and k.key_hash = short_hash(${key}::text))`;
  return sql`
    and t.number >= (select first_transfer_at(${partnerId}::integer, ${made}))
    and t.number < (select first_transfer_at(${partnerId}::integer, ${made} + interval '1 ms'))
    and t.source_id = (select k.resource_id from idempotency_keys k
      where k.partner_id = ${partnerId}::integer and k.key_hash = short_hash(${key}::text))`;
}

/** Transfers of a range of numbers, oldest first. */
export async function readEntries(
  sql: AnySql,
  of: { partnerId: number; from: bigint; to: bigint },
): Promise<LedgerEntry[]> {
  const rows = await sql<Row[]>`
    select ${sql.unsafe(COLUMNS)}
    where t.partner_id = ${of.partnerId}::integer and t.number >= ${of.from} and t.number < ${of.to}
    order by t.number`;
  return rows.map(readEntry);
}

/** Which id a source has on the wire, and what the partner sees it as. */
const SOURCES: Readonly<Record<string, [LedgerEntry["sourceKind"], "ord" | "fund" | "wd" | null]>> =
  {
    order: ["order", "ord"],
    funding: ["funding", "fund"],
    withdrawal: ["withdrawal", "wd"],
    withdrawal_payout: ["withdrawal", "wd"],
    withdrawal_return: ["withdrawal", "wd"],
    allocation: ["allocation", null],
    release: ["allocation", null],
  };

function readEntry(row: Row): LedgerEntry {
  const [sourceKind, prefix] = SOURCES[row.source_kind]!;
  return {
    number: Number(row.number),
    asset: row.asset,
    debitAccount: row.debit_account,
    creditAccount: row.credit_account,
    amount: row.amount,
    sourceKind,
    sourceId: prefix === null ? row.source_id : formatId(prefix, row.source_id),
    postedAtMs: Number(row.posted_ms),
  };
}
