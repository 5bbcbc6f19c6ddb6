import { formatHalalas } from "../amounts.ts";
import type { Id } from "../ids.ts";
import { formatTime } from "../times.ts";

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
