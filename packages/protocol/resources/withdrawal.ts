import { type Form, HALALAS, id, nullable, oneOf, STRING, TIME } from "../form.ts";
import type { Id } from "../ids.ts";
import { constant, member, record, wrapped } from "../record_form.ts";
import { CLIENT_REFERENCE, CLIENT_REFERENCE_SAYS, MONEY } from "../request_fields.ts";
import { nullOr, type RequestForm, requestForm, required } from "../request_form.ts";

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
  status: member("status", oneOf(WITHDRAWAL_STATUSES), "The money is held from `pending` on."),
  amountHalalas: member("amount_sar", HALALAS, "What is paid out."),
  $currency: constant('"SAR"'),
  ibanMasked: member("iban_masked", STRING, "Where it goes: your settlement IBAN."),
  clientReference: member("client_reference", nullable(STRING), "Your own name for it."),
  createdAtMs: member("created_at", TIME, "When it was asked for."),
  completedAtMs: member("completed_at", nullable(TIME), "When the bank paid it."),
  failureReason: member(
    "failure",
    nullable(wrapped("reason", STRING)),
    "Why it failed, for people.",
  ),
});

/** The form of the body of POST /v1/withdrawals. */
export const WITHDRAWAL_REQUEST: RequestForm<WithdrawalRequest> = requestForm<WithdrawalRequest>(
  "WithdrawalRequest",
  {
    amountHalalas: required("amount_sar", MONEY, "How much money."),
    clientReference: nullOr("client_reference", CLIENT_REFERENCE, CLIENT_REFERENCE_SAYS),
  },
);
export const withdrawalRequestToJson = WITHDRAWAL_REQUEST.write;
export const withdrawalRequestFromJson = WITHDRAWAL_REQUEST.parse;

/** The form of the body of POST /v1/withdrawals/{id}/cancel: no members. */
export const CANCEL_REQUEST: RequestForm<object> = requestForm<object>("CancelRequest", {});
export const cancelRequestFromJson = CANCEL_REQUEST.parse;

/** `SA0380000000608010167519` to `SA03****************7519`. */
export function maskIban(iban: string): string {
  return iban.slice(0, 4) + "*".repeat(Math.max(0, iban.length - 8)) + iban.slice(-4);
}
