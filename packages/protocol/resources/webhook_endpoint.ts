import { FIGURE, type Form, id, INTEGER, nullable, oneOf, TIME } from "../form.ts";
import type { Id } from "../ids.ts";
import { constant, member, record } from "../record_form.ts";
import { type RequestForm, requestForm } from "../request_form.ts";
import { DELIVERY_FAILURES, type DeliveryFailure } from "./delivery_attempt.ts";

/** The states of a webhook endpoint. */
export const ENDPOINT_STATUSES = ["healthy", "failing", "disabled"] as const;
/** Who can have disabled an endpoint. */
export const ENDPOINT_DISABLERS = ["endpoint", "operator"] as const;

/** An event that still waits for its delivery. */
export interface PendingEvent {
  /** Its id. */
  readonly id: Id<"evt">;
  /** Its number. */
  readonly sequence: number;
  /** When it happened. */
  readonly timestampMs: number;
}

/** The state of a partner's webhook endpoint (Decision D54). */
export interface WebhookEndpoint {
  /** `failing` when no attempt since `sinceMs` was accepted. */
  readonly status: (typeof ENDPOINT_STATUSES)[number];
  /** Since when it fails or is disabled; null while it is healthy. */
  readonly sinceMs: number | null;
  /** Who disabled it: the endpoint, by 410, or the operator; null while it is not disabled. */
  readonly disabledBy: (typeof ENDPOINT_DISABLERS)[number] | null;
  /** Why the last attempt at the oldest pending event failed; null if none failed. */
  readonly failure: DeliveryFailure | null;
  /** How many deliveries may be in flight at once. */
  readonly inFlight: number;
  /** Events that wait for their delivery. */
  readonly pendingEvents: number;
  /** The oldest pending event; null when there is none. */
  readonly oldestPending: PendingEvent | null;
  /** The age of the oldest pending event; 0 when there is none. */
  readonly lagSeconds: number;
}

const PENDING_EVENT: Form<PendingEvent> = record<PendingEvent>("pending event", {
  id: member("id", id("evt")),
  sequence: member("sequence", INTEGER),
  timestampMs: member("timestamp", TIME, "When it happened."),
});

/** The form of an endpoint's state, in GET /v1/me. */
export const WEBHOOK_ENDPOINT: Form<WebhookEndpoint> = record<WebhookEndpoint>("webhook endpoint", {
  status: member(
    "status",
    oneOf(ENDPOINT_STATUSES),
    "`failing`: no attempt since then was answered with 2xx.",
  ),
  sinceMs: member("since", nullable(TIME), "Since when it is not healthy; null while it is."),
  disabledBy: member(
    "disabled_by",
    nullable(oneOf(ENDPOINT_DISABLERS)),
    "`endpoint`: it answered 410. Null while it is not disabled.",
  ),
  failure: member(
    "failure",
    nullable(oneOf(DELIVERY_FAILURES)),
    "Why the last attempt at the oldest pending event failed.",
  ),
  inFlight: member("in_flight", INTEGER, "Deliveries at once, at most."),
  pendingEvents: member("pending_events", INTEGER, "Events that wait for their delivery."),
  oldestPending: member("oldest_pending", nullable(PENDING_EVENT), "The oldest of them."),
  lagSeconds: member("lag_seconds", FIGURE, "How old the oldest pending event is; 0 if none."),
});

/** The result of POST /v1/webhook/enable. */
export interface WebhookEnabled {
  /** When it was enabled. */
  readonly enabledAtMs: number;
  /** The `ping` that was written with it. */
  readonly pingId: Id<"evt">;
}

/** The form of the body of POST /v1/webhook/enable: `{}`. */
export const ENABLE_REQUEST: RequestForm<object> = requestForm<object>("EnableRequest", {});
/** Reads the body of POST /v1/webhook/enable. */
export const enableRequestFromJson: RequestForm<object>["parse"] = ENABLE_REQUEST.parse;

/** The form of the answer to POST /v1/webhook/enable. */
export const WEBHOOK_ENABLED: Form<WebhookEnabled> = record<WebhookEnabled>("webhook enabled", {
  $status: constant('"enabled"', "Pending events are tried at once."),
  enabledAtMs: member("enabled_at", TIME, "When it was enabled."),
  pingId: member("ping_id", id("evt"), "A `ping` that shows whether your endpoint works."),
});
