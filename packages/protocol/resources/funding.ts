import { formatHalalas, parseHalalas } from "../amounts.ts";
import { type Form, HALALAS, id, oneOf, TIME } from "../form.ts";
import type { Id } from "../ids.ts";
import type { JsonValue } from "../json.ts";
import { constant, member, record } from "../record_form.ts";
import type { Parsed } from "../refusal.ts";
import { RequestReader } from "../request_reader.ts";

export const FUNDING_STATUSES = ["completed"] as const;
export type FundingStatus = (typeof FUNDING_STATUSES)[number];

/** Money put into the SAR account (Decision D14). */
export interface Funding {
  readonly id: Id<"fund">;
  readonly status: FundingStatus;
  readonly amountHalalas: bigint;
  /** The SAR balance right after it. */
  readonly balanceHalalas: bigint;
  readonly createdAtMs: number;
}

/** The body of POST /sandbox/fund. */
export interface FundingRequest {
  readonly amountHalalas: bigint;
}

/** The form of a funding. */
export const FUNDING: Form<Funding> = record<Funding>("funding", {
  id: member("id", id("fund")),
  status: member("status", oneOf(FUNDING_STATUSES)),
  amountHalalas: member("amount_sar", HALALAS),
  balanceHalalas: member("balance_sar", HALALAS),
  $currency: constant('"SAR"'),
  createdAtMs: member("created_at", TIME),
});

/** The request's wire form. */
export function fundingRequestToJson(request: FundingRequest): string {
  return `{"amount_sar":${formatHalalas(request.amountHalalas)}}`;
}

/** Reads the body of POST /sandbox/fund; bounds are the business's to check. */
export function fundingRequestFromJson(value: JsonValue): Parsed<FundingRequest> {
  const reader = new RequestReader(value, ["amount_sar"]);
  const amountHalalas = reader.positiveAmount("amount_sar", parseHalalas);
  return reader.result(amountHalalas === undefined ? undefined : { amountHalalas });
}
