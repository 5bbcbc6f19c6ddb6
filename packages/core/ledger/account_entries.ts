import { type Account, formatTime, type LedgerEntry } from "@sabika/protocol";
import { and, desc, eq, gte, lt, or } from "drizzle-orm";
import type { Database } from "../store/database.ts";
import { type Given, preparedQuery } from "../store/prepared_query.ts";
import { transfers } from "../store/schema/ledger.ts";
import { firstTransferAt, readEntry } from "./ledger_entries.ts";

/** Which of a partner's transfers are listed; what is left out narrows nothing. */
export interface EntryFilter {
  readonly partnerId: number;
  readonly limit: number;
  /** The number that the list goes on after. */
  readonly before?: bigint | undefined;
  /** Those that an account of the partner's took part in. */
  readonly account?: Account | undefined;
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
}

const { partnerId, number, debitAccount, creditAccount } = transfers;

const selectEntries = preparedQuery((
  orm,
  given: Given<"partnerId" | "limit", "before" | "account" | "from" | "to">,
) =>
  orm.select().from(transfers)
    .where(and(
      eq(partnerId, given.partnerId),
      given.before && lt(number, given.before),
      given.from && gte(number, firstTransferAt(given.partnerId, given.from)),
      given.to && lt(number, firstTransferAt(given.partnerId, given.to)),
      given.account && or(eq(debitAccount, given.account), eq(creditAccount, given.account)),
    ))
    .orderBy(desc(number)).limit(given.limit)
);

/**
 * A partner's transfers, newest first. Those of one account are picked out of all, so a list of an
 * account that little moves in reads its whole period.
 */
export async function listEntries(
  { sql }: Database,
  { partnerId, limit, before, account, fromMs, toMs }: EntryFilter,
): Promise<{ entries: LedgerEntry[]; hasMore: boolean }> {
  const rows = await selectEntries(sql, {
    ...{ partnerId, limit: limit + 1, before, account },
    from: fromMs && formatTime(fromMs),
    to: toMs && formatTime(toMs),
  });
  return { entries: rows.slice(0, limit).map(readEntry), hasMore: rows.length > limit };
}
