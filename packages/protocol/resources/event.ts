import type { Id } from "../ids.ts";
import { jsonString } from "../json_text.ts";
import { formatTime } from "../times.ts";
import type { Environment } from "./environment.ts";

/** Decision D34. */
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
export type EventType = (typeof EVENT_TYPES)[number];

export const EVENT_DELIVERY_STATUSES = ["pending", "delivered", "exhausted"] as const;
export type EventDeliveryStatus = (typeof EVENT_DELIVERY_STATUSES)[number];

/** How the delivery of an event stands; shown when events are read, never delivered itself. */
export interface EventDelivery {
  readonly status: EventDeliveryStatus;
  readonly attempts: number;
  readonly nextAttemptAtMs: number | null;
  readonly deliveredAtMs: number | null;
}

/** An event (Decision D33). The object stands as JSON text, as its own renderer wrote it. */
export interface PartnerEvent {
  readonly id: Id<"evt">;
  readonly type: EventType;
  readonly environment: Environment;
  /** Rises by one a partner, without gaps. */
  readonly sequence: number;
  readonly timestampMs: number;
  readonly objectJson: string;
  readonly delivery?: EventDelivery;
}

/** What can be rotated, and so ends (Spec §5 Rotation). */
export const CREDENTIAL_KINDS = [
  "certificate",
  "client_secret",
  "signing_key",
  "webhook_secret",
] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** The object of `ping`: it only shows that deliveries arrive. */
export const PING_OBJECT_JSON = "{}";

/** The object of `credential.expiring`. */
export interface ExpiringCredential {
  readonly kind: CredentialKind;
  /** The certificate's hash, the key id, or the secret's id; never a secret. */
  readonly credentialId: string;
  readonly expiresAtMs: number;
  readonly daysLeft: number;
}

/** The event's wire form: the body of the webhook, and of GET /v1/events/{id} with its delivery. */
export function eventToJson(event: PartnerEvent): string {
  const { delivery } = event;
  return `{"id":"${event.id}","type":"${event.type}","api_version":"v1",` +
    `"environment":"${event.environment}","sequence":${event.sequence},` +
    `"timestamp":"${formatTime(event.timestampMs)}","data":{"object":${event.objectJson}}` +
    (delivery === undefined ? "}" : `,"delivery":${deliveryToJson(delivery)}}`);
}

/** The wire form of the object of `credential.expiring`. */
export function expiringCredentialToJson(credential: ExpiringCredential): string {
  return `{"kind":"${credential.kind}","credential_id":${jsonString(credential.credentialId)},` +
    `"expires_at":"${formatTime(credential.expiresAtMs)}","days_left":${credential.daysLeft}}`;
}

function deliveryToJson(delivery: EventDelivery): string {
  return `{"status":"${delivery.status}","attempts":${delivery.attempts},` +
    `"next_attempt_at":${timeOrNull(delivery.nextAttemptAtMs)},` +
    `"delivered_at":${timeOrNull(delivery.deliveredAtMs)}}`;
}

function timeOrNull(epochMs: number | null): string {
  return epochMs === null ? "null" : `"${formatTime(epochMs)}"`;
}
