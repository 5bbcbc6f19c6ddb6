import { formatHalalas, parseHalalas } from "../amounts.ts";
import type { Id } from "../ids.ts";
import { jsonString, jsonStringOrNull } from "../json_text.ts";
import { formatTime } from "../times.ts";
import type { JsonValue } from "../json.ts";
import type { Parsed } from "../refusal.ts";
import { RequestReader } from "../request_reader.ts";
import { ResourceReader } from "../resource_reader.ts";

export const WITHDRAWAL_STATUSES = [
  "pending",
  "processing",
  "completed",
  "failed",
  "cancelled",
] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/** A payment to the partner's settlement IBAN (Decision D13). */
export interface Withdrawal {
  readonly id: Id<"wd">;
  readonly status: WithdrawalStatus;
  readonly amountHalalas: bigint;
  /** Country, check digits and the last four alone: see `maskIban`. */
  readonly ibanMasked: string;
  readonly clientReference: string | null;
  readonly createdAtMs: number;
  readonly completedAtMs: number | null;
  /** Why it failed, for people; null unless it did. */
  readonly failureReason: string | null;
}

/** The body of POST /v1/withdrawals. */
export interface WithdrawalRequest {
  readonly amountHalalas: bigint;
  readonly clientReference: string | null;
}

/** The withdrawal's wire form. */
export function withdrawalToJson(withdrawal: Withdrawal): string {
  const { completedAtMs, failureReason } = withdrawal;
  return `{"id":"${withdrawal.id}","status":"${withdrawal.status}",` +
    `"amount_sar":${formatHalalas(withdrawal.amountHalalas)},"currency":"SAR",` +
    `"iban_masked":${jsonString(withdrawal.ibanMasked)},` +
    `"client_reference":${jsonStringOrNull(withdrawal.clientReference)},` +
    `"created_at":"${formatTime(withdrawal.createdAtMs)}",` +
    `"completed_at":${completedAtMs === null ? "null" : `"${formatTime(completedAtMs)}"`},` +
    `"failure":${failureReason === null ? "null" : `{"reason":${jsonString(failureReason)}}`}}`;
}

/** The request's wire form; an absent reference is left out. */
export function withdrawalRequestToJson(request: WithdrawalRequest): string {
  const amount = `{"amount_sar":${formatHalalas(request.amountHalalas)}`;
  return request.clientReference === null
    ? `${amount}}`
    : `${amount},"client_reference":${jsonString(request.clientReference)}}`;
}

/** `SA0380000000608010167519` to `SA03****************7519`. */
export function maskIban(iban: string): string {
  return iban.slice(0, 4) + "*".repeat(Math.max(0, iban.length - 8)) + iban.slice(-4);
}

/** Reads what `withdrawalToJson` writes. Throws `WireFormatError`. */
export function withdrawalFromJson(value: JsonValue): Withdrawal {
  const reader = new ResourceReader(value, "withdrawal");
  return {
    id: reader.id("id", "wd"),
    status: reader.oneOf("status", WITHDRAWAL_STATUSES),
    amountHalalas: reader.amount("amount_sar", parseHalalas),
    ibanMasked: reader.string("iban_masked"),
    clientReference: reader.nullOr("client_reference", (name) => reader.string(name)),
    createdAtMs: reader.timeMs("created_at"),
    completedAtMs: reader.nullOr("completed_at", (name) => reader.timeMs(name)),
    failureReason: reader.nullOr("failure", (name) => reader.object(name).string("reason")),
  };
}

/** Reads the body of POST /v1/withdrawals. */
export function withdrawalRequestFromJson(value: JsonValue): Parsed<WithdrawalRequest> {
  const reader = new RequestReader(value, ["amount_sar", "client_reference"]);
  const amountHalalas = reader.positiveAmount("amount_sar", parseHalalas);
  const clientReference = reader.clientReference();
  return reader.result(
    amountHalalas === undefined ? undefined : { amountHalalas, clientReference },
  );
}
