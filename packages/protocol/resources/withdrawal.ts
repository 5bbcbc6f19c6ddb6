import { formatHalalas, parseHalalas } from "../amounts.ts";
import { type Form, HALALAS, id, nullable, oneOf, STRING, TIME } from "../form.ts";
import type { Id } from "../ids.ts";
import type { JsonValue } from "../json.ts";
import { jsonString } from "../json_text.ts";
import { constant, member, record, wrapped } from "../record_form.ts";
import type { Parsed } from "../refusal.ts";
import { RequestReader } from "../request_reader.ts";

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

/** The form of a withdrawal. */
export const WITHDRAWAL: Form<Withdrawal> = record<Withdrawal>("withdrawal", {
  id: member("id", id("wd")),
  status: member("status", oneOf(WITHDRAWAL_STATUSES)),
  amountHalalas: member("amount_sar", HALALAS),
  $currency: constant('"SAR"'),
  ibanMasked: member("iban_masked", STRING),
  clientReference: member("client_reference", nullable(STRING)),
  createdAtMs: member("created_at", TIME),
  completedAtMs: member("completed_at", nullable(TIME)),
  failureReason: member("failure", nullable(wrapped("reason", STRING))),
});

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

/** Reads the body of POST /v1/withdrawals. */
export function withdrawalRequestFromJson(value: JsonValue): Parsed<WithdrawalRequest> {
  const reader = new RequestReader(value, ["amount_sar", "client_reference"]);
  const amountHalalas = reader.positiveAmount("amount_sar", parseHalalas);
  const clientReference = reader.clientReference();
  return reader.result(
    amountHalalas === undefined ? undefined : { amountHalalas, clientReference },
  );
}
