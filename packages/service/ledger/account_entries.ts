import { type Account, formatTime, type LedgerEntry } from "@sabika/protocol";
import { and, desc, eq, gte, lt, or, type Placeholder, type SQL, sql } from "drizzle-orm";
import { type Database, type Inputs, preparedQuery } from "@sabika/database";
import { firstTransferAt, readEntry } from "./ledger_entries.ts";
import { accounts, transfers } from "./tables.ts";

/** Which of a partner's transfers are listed; an undefined member does not filter. */
export interface EntryFilter {
  readonly partnerId: number;
  readonly limit: number;
  /** Lists transfers before this number. */
  readonly before?: bigint | undefined;
  /** Only transfers of this account. */
  readonly account?: Account | undefined;
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
}

const { partnerId, number, debitAccount, creditAccount } = transfers;
const { lastTransfer } = accounts;

/** How many transfers one page searches for those of an account. */
const LOOKED_AT = 10_000n;

const selectEntries = preparedQuery((
  orm,
  values: Inputs<"partnerId" | "limit", "before" | "account" | "from" | "to" | "oldest">,
) =>
  orm.select().from(transfers)
    .where(and(
      eq(partnerId, values.partnerId),
      values.before && lt(number, values.before),
      values.oldest && gte(number, values.oldest),
      values.from && gte(number, firstTransferAt(values.partnerId, values.from)),
      values.to && lt(number, firstTransferAt(values.partnerId, values.to)),
      values.account && or(eq(debitAccount, values.account), eq(creditAccount, values.account)),
    ))
    .orderBy(desc(number)).limit(values.limit)
);

/** The numbers of the period: from its first transfer to the one after its last. */
const selectPeriod = preparedQuery((orm, values: Inputs<"partnerId", "from" | "to">) => {
  const at = (moment: Placeholder | undefined, otherwise: SQL) =>
    sql<bigint>`(${moment ? firstTransferAt(values.partnerId, moment) : otherwise})::bigint`;
  return orm.select({
    first: at(values.from, sql`1`),
    end: at(values.to, sql`${lastTransfer} + 1`),
  })
    .from(accounts).where(eq(accounts.partnerId, values.partnerId));
});

/**
 * Lists a partner's transfers, newest first. Transfers of one account are searched among a limited number of
 * transfers, so a page may have fewer than its limit, even none, although the list continues.
 *
 * @returns `next`: `before` of the next page; undefined at the end of the list
 */
export async function listEntries(
  { sql }: Database,
  { partnerId, limit, before, account, fromMs, toMs }: EntryFilter,
): Promise<{ entries: LedgerEntry[]; next: bigint | undefined }> {
  const period = { from: fromMs && formatTime(fromMs), to: toMs && formatTime(toMs) };
  let oldest: bigint | undefined;
  if (account !== undefined) {
    const [numbers] = await selectPeriod(sql, { partnerId, ...period });
    const { first = 1n, end = 1n } = numbers ?? {};
    const lowest = (before !== undefined && before < end ? before : end) - LOOKED_AT;
    if (lowest > first) oldest = lowest;
  }
  const page = { partnerId, limit: limit + 1, before, account, oldest, ...period };
  const rows = await selectEntries(sql, page);
  const entries = rows.slice(0, limit).map(readEntry);
  return { entries, next: rows.length > limit ? rows[limit - 1]!.number : oldest };
}
