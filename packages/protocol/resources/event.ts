import { type Form, id, INTEGER, nullable, oneOf, STRING, TIME } from "../form.ts";
import type { Id } from "../ids.ts";
import { constant, member, optional, record, wrapped } from "../record_form.ts";
import { type Environment, ENVIRONMENTS } from "./environment.ts";

/** The types of events (Decision D34). */
export const EVENT_TYPES = [
  "order.executed",
  "funding.completed",
  "withdrawal.created",
  "withdrawal.completed",
  "withdrawal.failed",
  "withdrawal.cancelled",
  "credential.expiring",
  "ping",
] as const;
/** One of {@link EVENT_TYPES}. */
export type EventType = (typeof EVENT_TYPES)[number];

/** The states of an event's delivery. */
export const EVENT_DELIVERY_STATUSES = ["pending", "delivered", "exhausted"] as const;
/** One of {@link EVENT_DELIVERY_STATUSES}. */
export type EventDeliveryStatus = (typeof EVENT_DELIVERY_STATUSES)[number];

/** The state of an event's delivery; included when events are read, but not in webhooks. */
export interface EventDelivery {
  /** Its state. */
  readonly status: EventDeliveryStatus;
  /** How often it was sent. */
  readonly attempts: number;
  /** When it is sent next; null when it is not. */
  readonly nextAttemptAtMs: number | null;
  /** When it was accepted; null when it was not. */
  readonly deliveredAtMs: number | null;
}

/** An event (Decision D33); its object is JSON text when it is sent, a value when it was received. */
export interface EventOf<O> {
  /** Its id. */
  readonly id: Id<"evt">;
  /** The type of the event. */
  readonly type: string;
  /** The environment that it belongs to. */
  readonly environment: Environment;
  /** Rises by one for each event of the partner, without gaps. */
  readonly sequence: number;
  /** When it happened. */
  readonly timestampMs: number;
  /** The object that the event is about. */
  readonly object: O;
  /** Only when the event is read from the service, not in a webhook. */
  readonly delivery?: EventDelivery;
}

/** An event as the service sends it, with its object as JSON text in the wire form. */
export interface PartnerEvent extends Omit<EventOf<string>, "object"> {
  /** The type of the event. */
  readonly type: EventType;
  /** The object that the event is about, as JSON. */
  readonly objectJson: string;
}

/** The kinds of credentials, all of which can be rotated and expire (Spec §5 Rotation). */
export const CREDENTIAL_KINDS = [
  "certificate",
  "client_secret",
  "signing_key",
  "webhook_secret",
] as const;
/** One of {@link CREDENTIAL_KINDS}. */
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** The object of `ping`: it only shows that deliveries arrive. */
export const PING_OBJECT_JSON = "{}";

/** The object of `credential.expiring`. */
export interface ExpiringCredential {
  /** The kind of credential. */
  readonly kind: CredentialKind;
  /** The certificate's hash, the key id, or the secret's id; never a secret. */
  readonly credentialId: string;
  /** When it ends. */
  readonly expiresAtMs: number;
  /** Whole days until then. */
  readonly daysLeft: number;
}

const DELIVERY: Form<EventDelivery> = record<EventDelivery>("delivery", {
  status: member("status", oneOf(EVENT_DELIVERY_STATUSES), "The state of the delivery."),
  attempts: member("attempts", INTEGER, "How often it was tried."),
  nextAttemptAtMs: member("next_attempt_at", nullable(TIME), "When it is tried next."),
  deliveredAtMs: member("delivered_at", nullable(TIME), "When it was answered with 2xx."),
});

/** Makes the form of an event from that of its object; `delivery` is only in answers, not in webhooks. */
export function eventOf<O>(object: Form<O>): Form<EventOf<O>> {
  return record<EventOf<O>>("event", {
    id: member("id", id("evt")),
    type: member(
      "type",
      STRING,
      "What happened. New types may come; acknowledge those you do not know.",
    ),
    $api_version: constant('"v1"', "The version of the API that the object is written in."),
    environment: member("environment", oneOf(ENVIRONMENTS), "Where it happened."),
    sequence: member("sequence", INTEGER, "Rises by one for each of your events, without gaps."),
    timestampMs: member("timestamp", TIME, "When it happened."),
    object: member("data", wrapped("object", object), "Its object, as it was at that time."),
    delivery: optional("delivery", DELIVERY, "When events are read; not in a webhook."),
  });
}

const SENT: Form<EventOf<string>> = eventOf({
  shape: {},
  write: (json) => json,
  read: () => "",
});

/** Writes an event: the body of the webhook, or with its delivery that of GET /v1/events/{id}. */
export function eventToJson(event: PartnerEvent): string {
  return SENT.write({ ...event, object: event.objectJson });
}

/** The form of the object of `credential.expiring`. */
export const EXPIRING_CREDENTIAL: Form<ExpiringCredential> = record<ExpiringCredential>(
  "expiring credential",
  {
    kind: member("kind", oneOf(CREDENTIAL_KINDS), "What ends."),
    credentialId: member(
      "credential_id",
      STRING,
      "The certificate's hash, the key id, or the secret's id.",
    ),
    expiresAtMs: member("expires_at", TIME, "When it ends."),
    daysLeft: member("days_left", INTEGER, "Whole days until then."),
  },
);
