import { type Form, HALALAS, id, nullable, oneOf, STRING, TIME } from "../form.ts";
import type { Id } from "../ids.ts";
import { constant, member, record, wrapped } from "../record_form.ts";
import { CLIENT_REFERENCE, CLIENT_REFERENCE_SAYS, MONEY } from "../request_fields.ts";
import { nullOr, type RequestForm, requestForm, required } from "../request_form.ts";

/** The states of a withdrawal (Decision D13). */
export const WITHDRAWAL_STATUSES = [
  "pending",
  "processing",
  "completed",
  "failed",
  "cancelled",
] as const;
/** One of {@link WITHDRAWAL_STATUSES}. */
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/** A payment to the partner's settlement IBAN (Decision D13). */
export interface Withdrawal {
  /** Its id. */
  readonly id: Id<"wd">;
  /** Its state. */
  readonly status: WithdrawalStatus;
  /** The amount of money. */
  readonly amountHalalas: bigint;
  /** Only country, check digits and the last four characters: see `maskIban`. */
  readonly ibanMasked: string;
  /** The partner's own reference; null if there is none. */
  readonly clientReference: string | null;
  /** When it was received. */
  readonly createdAtMs: number;
  /** When it was paid; null until then. */
  readonly completedAtMs: number | null;
  /** Why it failed, for people; null unless it did. */
  readonly failureReason: string | null;
}

/** The body of POST /v1/withdrawals. */
export interface WithdrawalRequest {
  /** The amount of money. */
  readonly amountHalalas: bigint;
  /** The partner's own reference; null if there is none. */
  readonly clientReference: string | null;
}

/** The form of a withdrawal. */
export const WITHDRAWAL: Form<Withdrawal> = record<Withdrawal>("withdrawal", {
  id: member("id", id("wd")),
  status: member("status", oneOf(WITHDRAWAL_STATUSES), "The money is held from `pending` on."),
  amountHalalas: member("amount_sar", HALALAS, "What is paid out."),
  $currency: constant('"SAR"'),
  ibanMasked: member("iban_masked", STRING, "Where it goes: your settlement IBAN."),
  clientReference: member("client_reference", nullable(STRING), "Your own reference, or null."),
  createdAtMs: member("created_at", TIME, "When it was requested."),
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
/** Writes the body of POST /v1/withdrawals. */
export const withdrawalRequestToJson: RequestForm<WithdrawalRequest>["write"] =
  WITHDRAWAL_REQUEST.write;
/** Reads the body of POST /v1/withdrawals. */
export const withdrawalRequestFromJson: RequestForm<WithdrawalRequest>["parse"] =
  WITHDRAWAL_REQUEST.parse;

/** The form of the body of POST /v1/withdrawals/{id}/cancel: no members. */
export const CANCEL_REQUEST: RequestForm<object> = requestForm<object>("CancelRequest", {});
/** Reads the body of POST /v1/withdrawals/{id}/cancel. */
export const cancelRequestFromJson: RequestForm<object>["parse"] = CANCEL_REQUEST.parse;

/** Masks an IBAN: `SA0380000000608010167519` becomes `SA03****************7519`. */
export function maskIban(iban: string): string {
  return iban.slice(0, 4) + "*".repeat(Math.max(0, iban.length - 8)) + iban.slice(-4);
}
