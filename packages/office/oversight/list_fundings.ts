import { formatId, type Id } from "@sabika/protocol";
import { and, desc, eq } from "drizzle-orm";
import { type Database, type Given, preparedQuery } from "@sabika/database";
import { fundings } from "@sabika/service/fundings";
import { type FilterOfAll, type GivenOfAll, newestOfAll } from "./newest_of_all.ts";
import { type PartOfAll, readPartOfAll } from "./page_of_all.ts";

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
interface FundingFilter extends FilterOfAll {
  /** The UUID of the one that is meant. */
  readonly id?: string | undefined;
  /** The bank's; one for each partner. */
  readonly reference?: string | undefined;
}

const { partnerId, fundingId: id, createdAt: time } = fundings;

const selectFundings = preparedQuery(
  (orm, filter: GivenOfAll & Given<never, "id" | "reference">) => {
    const narrowed = and(
      filter.id && eq(id, filter.id),
      filter.reference && eq(fundings.reference, filter.reference),
    );
    const page = newestOfAll(orm, { partnerId, id, time }, filter, narrowed);
    return orm.select({ clientId: page.clientId, funding: fundings }).from(page)
      .innerJoin(fundings, and(eq(partnerId, page.partnerId), eq(id, page.id)))
      .orderBy(desc(page.id));
  },
);

/** Money that came in, of all partners or one, newest first. */
export async function listFundings(
  { sql }: Database,
  { id, reference, ...filter }: FundingFilter,
): Promise<PartOfAll<FundingOf>> {
  return await readPartOfAll(sql, filter, {
    prefix: "fund",
    read: (values) => selectFundings(sql, { ...values, id, reference }),
    idOf: ({ funding }) => funding.fundingId,
    itemOf: ({ clientId, funding }) => ({
      id: formatId("fund", funding.fundingId),
      clientId,
      amountHalalas: funding.amountHalalas,
      balanceHalalas: funding.cashAfterHalalas,
      reference: funding.reference,
      createdAtMs: funding.createdAt,
    }),
  });
}
