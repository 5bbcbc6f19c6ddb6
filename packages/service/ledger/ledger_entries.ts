import { formatId, type LedgerEntry } from "@sabika/protocol";
import { and, asc, desc, eq, gte, lt, type Placeholder, type SQL, sql } from "drizzle-orm";
import { type Database, type Inputs, preparedQuery } from "@sabika/database";
import {
  knownKey,
  type Listing,
  type ListInputs,
  type ListQuery,
  madeByKey,
  readPage,
} from "../lists/list_query.ts";
import { transfers } from "./tables.ts";

const { partnerId, number } = transfers;

const selectNewest = preparedQuery((orm, values: ListInputs) => {
  const { before, from, to, idempotencyKey } = values;
  return orm.select().from(transfers)
    .where(and(
      eq(partnerId, values.partnerId),
      before && lt(number, before),
      from && gte(number, firstTransferAt(values.partnerId, from)),
      to && lt(number, firstTransferAt(values.partnerId, to)),
      idempotencyKey && postedByKey(values),
    ))
    .orderBy(desc(number)).limit(values.limit);
});

const selectRange = preparedQuery((orm, values: Inputs<"partnerId" | "from" | "to">) =>
  orm.select().from(transfers)
    .where(and(eq(partnerId, values.partnerId), gte(number, values.from), lt(number, values.to)))
    .orderBy(asc(number))
);

/** Lists the partner's transfers, newest first; `status` does not apply. */
export function listLedgerEntries(
  { sql }: Database,
  query: ListQuery,
): Promise<Listing<LedgerEntry>> {
  return readPage(
    "ledger",
    query,
    (values) => selectNewest(sql, values),
    readEntry,
    (row) => String(row.number),
  );
}

/** The SQL for the number of the first transfer at or after a moment; past the last if none is. */
export function firstTransferAt(
  partnerId: number | Placeholder,
  moment: string | Placeholder | SQL,
): SQL<bigint> {
  return sql`(select first_transfer_at(${partnerId}::integer, ${moment}::timestamptz))`;
}

/** The transfers of the resource that a key made, found by its time instead of an index. */
function postedByKey(values: ListInputs): SQL | undefined {
  const made = sql`(select created_at from ${knownKey(values)})`;
  const after = sql`(${made} + interval '1 ms')`;
  return and(
    gte(number, firstTransferAt(values.partnerId, made)),
    lt(number, firstTransferAt(values.partnerId, after)),
    eq(transfers.sourceId, madeByKey(values)),
  );
}

/** Reads the transfers numbered from `from` to before `to`, oldest first. */
export async function readEntries(
  { sql: pool }: Database,
  query: { partnerId: number; from: bigint; to: bigint },
): Promise<LedgerEntry[]> {
  return (await selectRange(pool, query)).map(readEntry);
}

type TransferRow = typeof transfers.$inferSelect;

/** The type and id prefix of each kind of source on the wire. */
const SOURCES: Readonly<
  Record<
    TransferRow["sourceKind"],
    readonly [LedgerEntry["sourceKind"], "ord" | "fund" | "wd" | null]
  >
> = {
  order: ["order", "ord"],
  funding: ["funding", "fund"],
  withdrawal: ["withdrawal", "wd"],
  withdrawal_payout: ["withdrawal", "wd"],
  withdrawal_return: ["withdrawal", "wd"],
  allocation: ["allocation", null],
  release: ["allocation", null],
};

/** Converts a row to the entry that lists show. */
export function readEntry(row: TransferRow): LedgerEntry {
  const [sourceKind, prefix] = SOURCES[row.sourceKind];
  return {
    number: Number(row.number),
    asset: row.asset,
    debitAccount: row.debitAccount,
    creditAccount: row.creditAccount,
    amount: row.amount,
    sourceKind,
    sourceId: prefix === null ? row.sourceId : formatId(prefix, row.sourceId),
    postedAtMs: row.postedAt,
  };
}
