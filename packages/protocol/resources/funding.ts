import { type Form, HALALAS, id, oneOf, TIME } from "../form.ts";
import type { Id } from "../ids.ts";
import { constant, member, record } from "../record_form.ts";
import { MONEY } from "../request_fields.ts";
import { type RequestForm, requestForm, required } from "../request_form.ts";

/** The states of a funding. */
export const FUNDING_STATUSES = ["completed"] as const;
/** One of {@link FUNDING_STATUSES}. */
export type FundingStatus = (typeof FUNDING_STATUSES)[number];

/** Money put into the SAR account (Decision D14). */
export interface Funding {
  /** Its id. */
  readonly id: Id<"fund">;
  /** Its state. */
  readonly status: FundingStatus;
  /** The amount of money. */
  readonly amountHalalas: bigint;
  /** The SAR balance right after it. */
  readonly balanceHalalas: bigint;
  /** When it was received. */
  readonly createdAtMs: number;
}

/** The body of POST /sandbox/fund. */
export interface FundingRequest {
  /** The amount of money. */
  readonly amountHalalas: bigint;
}

/** The form of a funding. */
export const FUNDING: Form<Funding> = record<Funding>("funding", {
  id: member("id", id("fund")),
  status: member("status", oneOf(FUNDING_STATUSES), "A funding is complete at once."),
  amountHalalas: member("amount_sar", HALALAS, "The amount that was credited."),
  balanceHalalas: member("balance_sar", HALALAS, "The money in the account right after it."),
  $currency: constant('"SAR"'),
  createdAtMs: member("created_at", TIME, "When it was booked."),
});

/** The form of the body of POST /sandbox/fund; bounds are checked later. */
export const FUNDING_REQUEST: RequestForm<FundingRequest> = requestForm<FundingRequest>(
  "FundingRequest",
  { amountHalalas: required("amount_sar", MONEY, "How much money.") },
);
/** Writes the body of POST /sandbox/fund. */
export const fundingRequestToJson: RequestForm<FundingRequest>["write"] = FUNDING_REQUEST.write;
/** Reads the body of POST /sandbox/fund. */
export const fundingRequestFromJson: RequestForm<FundingRequest>["parse"] = FUNDING_REQUEST.parse;
