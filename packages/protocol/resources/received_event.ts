import type { Id } from "../ids.ts";
import type { JsonValue } from "../json.ts";
import { ResourceReader } from "../resource_reader.ts";
import { type Environment, ENVIRONMENTS } from "./environment.ts";
import {
  CREDENTIAL_KINDS,
  EVENT_DELIVERY_STATUSES,
  EVENT_TYPES,
  type EventDelivery,
  type EventType,
  type ExpiringCredential,
} from "./event.ts";
import { type Funding, fundingFromJson } from "./funding.ts";
import { type Order, orderFromJson } from "./order.ts";
import { type Withdrawal, withdrawalFromJson } from "./withdrawal.ts";

interface Envelope {
  readonly id: Id<"evt">;
  readonly environment: Environment;
  readonly sequence: number;
  readonly timestampMs: number;
  /** Only when the event was read from the service, not in a webhook. */
  readonly delivery?: EventDelivery;
}

type WithdrawalEventType = Extract<EventType, `withdrawal.${string}`>;

/** An event as a partner reads it. `type` says what `object` is. */
export type ReceivedEvent =
  | Envelope & { readonly type: "order.executed"; readonly object: Order }
  | Envelope & { readonly type: "funding.completed"; readonly object: Funding }
  | Envelope & { readonly type: WithdrawalEventType; readonly object: Withdrawal }
  | Envelope & { readonly type: "credential.expiring"; readonly object: ExpiringCredential }
  | Envelope & { readonly type: "ping"; readonly object: null }
  /** Of a newer service: to be acknowledged and passed over (Decision D41). */
  | Envelope & { readonly type: "unknown"; readonly name: string; readonly object: JsonValue };

/** Reads what `eventToJson` writes. Throws `WireFormatError`. */
export function eventFromJson(value: JsonValue): ReceivedEvent {
  const reader = new ResourceReader(value, "event");
  const envelope: Envelope = {
    id: reader.id("id", "evt"),
    environment: reader.oneOf("environment", ENVIRONMENTS),
    sequence: reader.integer("sequence"),
    timestampMs: reader.timeMs("timestamp"),
    ...(reader.has("delivery") ? { delivery: deliveryFrom(reader.object("delivery")) } : {}),
  };
  const name = reader.string("type");
  const type = EVENT_TYPES.find((known) => known === name);
  const object = reader.object("data").value("object");
  switch (type) {
    case "order.executed":
      return { ...envelope, type, object: orderFromJson(object) };
    case "funding.completed":
      return { ...envelope, type, object: fundingFromJson(object) };
    case "withdrawal.created":
    case "withdrawal.completed":
    case "withdrawal.failed":
    case "withdrawal.cancelled":
      return { ...envelope, type, object: withdrawalFromJson(object) };
    case "credential.expiring":
      return { ...envelope, type, object: expiringCredentialFromJson(object) };
    case "ping":
      return { ...envelope, type, object: null };
    case undefined:
      return { ...envelope, type: "unknown", name, object };
  }
}

function expiringCredentialFromJson(value: JsonValue): ExpiringCredential {
  const reader = new ResourceReader(value, "credential");
  return {
    kind: reader.oneOf("kind", CREDENTIAL_KINDS),
    credentialId: reader.string("credential_id"),
    expiresAtMs: reader.timeMs("expires_at"),
    daysLeft: reader.integer("days_left"),
  };
}

function deliveryFrom(reader: ResourceReader): EventDelivery {
  return {
    status: reader.oneOf("status", EVENT_DELIVERY_STATUSES),
    attempts: reader.integer("attempts"),
    nextAttemptAtMs: reader.nullOr("next_attempt_at", (name) => reader.timeMs(name)),
    deliveredAtMs: reader.nullOr("delivered_at", (name) => reader.timeMs(name)),
  };
}
