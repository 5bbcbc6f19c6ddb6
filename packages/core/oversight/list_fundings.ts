import { formatId, type Id } from "@sabika/protocol";
import { and, desc, eq, lt } from "drizzle-orm";
import type { Database } from "../store/database.ts";
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

const { fundingId: id } = fundings;

/** Each partner's newest from its own end of the key, as `listTrades` does. */
const selectFundings = preparedQuery((orm, given: Given<"limit", "before" | "clientId">) => {
  const newest = orm.select({ fundingId: id }).from(fundings)
    .where(and(eq(fundings.partnerId, partners.partnerId), given.before && lt(id, given.before)))
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

/**
 * Money that came in, of all partners or one, newest first.
 *
 * @param of.before the UUID of the funding that the list goes on after
 */
export async function listFundings(
  { sql }: Database,
  { limit, before, clientId }: {
    limit: number;
    before?: string | undefined;
    clientId?: string | undefined;
  },
): Promise<{ fundings: FundingOf[]; hasMore: boolean }> {
  const rows = await selectFundings(sql, { limit: limit + 1, before, clientId });
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
