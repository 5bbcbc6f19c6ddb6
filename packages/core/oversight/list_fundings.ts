import { formatId, formatTime, type Id } from "@sabika/protocol";
import { and, desc, eq, gte, lt } from "drizzle-orm";
import type { Database } from "../store/database.ts";
import { idAt, madeInPeriod, SLACK_MS } from "../store/list_query.ts";
import { type Given, preparedQuery } from "../store/prepared_query.ts";
import { fundings, partners } from "../store/schema/mod.ts";

/** Money that came in, and for whom. */
export interface FundingOf {
  readonly id: Id<"fund">;
  readonly clientId: string;
  readonly amountHalalas: bigint;
  /** The partner's, right after it. */
  readonly balanceHalalas: bigint;
  /** The bank's; null in the sandbox. */
  readonly reference: string | null;
  readonly createdAtMs: number;
}

/** Which of them are listed; what is left out narrows nothing. */
interface FundingFilter {
  readonly limit: number;
  /** The UUID of the funding that the list goes on after. */
  readonly before?: string | undefined;
  /** The UUID of the one that is meant. */
  readonly id?: string | undefined;
  readonly clientId?: string | undefined;
  /** The bank's; one for each partner. */
  readonly reference?: string | undefined;
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
}

const { fundingId: id, createdAt } = fundings;

type FundingsGiven = Given<
  "limit",
  "before" | "id" | "clientId" | "reference" | "from" | "to" | "fromId" | "toId"
>;

/** Each partner's newest from its own end of the key, as `listTrades` does. */
const selectFundings = preparedQuery((orm, given: FundingsGiven) => {
  const newest = orm.select({ fundingId: id }).from(fundings)
    .where(and(
      eq(fundings.partnerId, partners.partnerId),
      given.before && lt(id, given.before),
      given.id && eq(id, given.id),
      given.reference && eq(fundings.reference, given.reference),
      given.fromId && gte(id, given.fromId),
      given.toId && lt(id, given.toId),
      madeInPeriod(createdAt, given),
    ))
    .orderBy(desc(id)).limit(given.limit).as("newest");
  const { partnerId, clientId } = partners;
  const page = orm.select({ partnerId, clientId, fundingId: newest.fundingId }).from(partners)
    .crossJoinLateral(newest)
    .where(given.clientId && eq(clientId, given.clientId))
    .orderBy(desc(newest.fundingId)).limit(given.limit).as("page");
  return orm.select({ clientId: page.clientId, funding: fundings }).from(page)
    .innerJoin(fundings, and(eq(fundings.partnerId, page.partnerId), eq(id, page.fundingId)))
    .orderBy(desc(page.fundingId));
});

/** Money that came in, of all partners or one, newest first. */
export async function listFundings(
  { sql }: Database,
  { limit, fromMs, toMs, ...narrowed }: FundingFilter,
): Promise<{ fundings: FundingOf[]; hasMore: boolean }> {
  const rows = await selectFundings(sql, {
    ...{ ...narrowed, limit: limit + 1 },
    from: fromMs && formatTime(fromMs),
    to: toMs && formatTime(toMs),
    fromId: fromMs && idAt(fromMs - SLACK_MS),
    toId: toMs && idAt(toMs + SLACK_MS),
  });
  return {
    fundings: rows.slice(0, limit).map(({ clientId, funding }) => ({
      id: formatId("fund", funding.fundingId),
      clientId,
      amountHalalas: funding.amountHalalas,
      balanceHalalas: funding.cashAfterHalalas,
      reference: funding.reference,
      createdAtMs: funding.createdAt,
    })),
    hasMore: rows.length > limit,
  };
}
