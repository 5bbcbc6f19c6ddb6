import { formatHalalas, parseHalalas } from "../amounts.ts";
import type { Id } from "../ids.ts";
import { formatTime } from "../times.ts";
import type { JsonValue } from "../json.ts";
import type { Parsed } from "../refusal.ts";
import { RequestReader } from "../request_reader.ts";
import { ResourceReader } from "../resource_reader.ts";

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

/** The funding's wire form. */
export function fundingToJson(funding: Funding): string {
  return `{"id":"${funding.id}","status":"${funding.status}",` +
    `"amount_sar":${formatHalalas(funding.amountHalalas)},` +
    `"balance_sar":${formatHalalas(funding.balanceHalalas)},"currency":"SAR",` +
    `"created_at":"${formatTime(funding.createdAtMs)}"}`;
}

/** The request's wire form. */
export function fundingRequestToJson(request: FundingRequest): string {
  return `{"amount_sar":${formatHalalas(request.amountHalalas)}}`;
}

/** Reads what `fundingToJson` writes. Throws `WireFormatError`. */
export function fundingFromJson(value: JsonValue): Funding {
  const reader = new ResourceReader(value, "funding");
  return {
    id: reader.id("id", "fund"),
    status: reader.oneOf("status", FUNDING_STATUSES),
    amountHalalas: reader.amount("amount_sar", parseHalalas),
    balanceHalalas: reader.amount("balance_sar", parseHalalas),
    createdAtMs: reader.timeMs("created_at"),
  };
}

/** Reads the body of POST /sandbox/fund; bounds are the business's to check. */
export function fundingRequestFromJson(value: JsonValue): Parsed<FundingRequest> {
  const reader = new RequestReader(value, ["amount_sar"]);
  const amountHalalas = reader.positiveAmount("amount_sar", parseHalalas);
  return reader.result(amountHalalas === undefined ? undefined : { amountHalalas });
}
