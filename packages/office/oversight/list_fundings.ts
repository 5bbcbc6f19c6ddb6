import { formatId, type Id } from "@sabika/protocol";
import { desc } from "drizzle-orm";
import { fundings } from "@sabika/service/fundings";
import { listOfAll } from "./list_of_all.ts";

/** Money that came in, with its partner's id. */
export interface FundingOf {
  readonly id: Id<"fund">;
  readonly clientId: string;
  readonly amountHalalas: bigint;
  /** The partner's cash, right after it. */
  readonly balanceHalalas: bigint;
  /** The bank's reference; null in the sandbox. */
  readonly reference: string | null;
  readonly createdAtMs: number;
}

/** Lists money that came in for all partners or one, newest first; filters by UUID, bank's reference or amount. */
export const listFundings = listOfAll(
  {
    prefix: "fund",
    key: { partnerId: fundings.partnerId, id: fundings.fundingId, time: fundings.createdAt },
    filters: {
      id: fundings.fundingId,
      reference: fundings.reference,
      amountHalalas: fundings.amountHalalas,
    },
  },
  (orm, { page, isRow }) =>
    orm.select({ clientId: page.clientId, rowId: fundings.fundingId, funding: fundings })
      .from(page).innerJoin(fundings, isRow).orderBy(desc(page.id)),
  ({ clientId, funding }): FundingOf => ({
    id: formatId("fund", funding.fundingId),
    clientId,
    amountHalalas: funding.amountHalalas,
    balanceHalalas: funding.cashAfterHalalas,
    reference: funding.reference,
    createdAtMs: funding.createdAt,
  }),
);
