import { type Form, INTEGER, nullable, oneOf, STRING, TIME } from "../form.ts";
import { member, record } from "../record_form.ts";

/** The reasons why an attempt to deliver an event failed. */
export const DELIVERY_FAILURES = [
  "redirect",
  "gone",
  "busy",
  "error_answer",
  "timeout",
  "unreachable",
  "closed",
  "not_http",
  "certificate",
  "name_unknown",
  "address_not_allowed",
  "other",
] as const;
/** One of {@link DELIVERY_FAILURES}. */
export type DeliveryFailure = (typeof DELIVERY_FAILURES)[number];

/** One attempt to deliver an event to its endpoint (Decision D54). */
export interface DeliveryAttempt {
  /** When it began. */
  readonly attemptedAtMs: number;
  /** The time until the answer's status line, or until it failed. */
  readonly durationMs: number;
  /** The status of the answer; null without one. */
  readonly status: number | null;
  /** Why it failed; null when the event was accepted. */
  readonly failure: DeliveryFailure | null;
  /** The address and port that was connected to; null when there was no connection. */
  readonly address: string | null;
}

/** The form of an attempt: an item of GET /v1/events/{id}/attempts. */
export const DELIVERY_ATTEMPT: Form<DeliveryAttempt> = record<DeliveryAttempt>("delivery attempt", {
  attemptedAtMs: member("attempted_at", TIME, "When it began."),
  durationMs: member("duration_ms", INTEGER, "Milliseconds until your answer, or its failure."),
  status: member("status", nullable(INTEGER), "The status of your answer; null without one."),
  failure: member(
    "failure",
    nullable(oneOf(DELIVERY_FAILURES)),
    "Why it failed; null when your answer was 2xx.",
  ),
  address: member(
    "address",
    nullable(STRING),
    "The address and port that was connected to; null when there was no connection.",
  ),
});
