import { type Form, readOnly } from "../form.ts";
import type { JsonValue } from "../json.ts";
import { plainJson } from "../plain_json.ts";
import {
  EVENT_TYPES,
  type EventOf,
  eventOf,
  type EventType,
  EXPIRING_CREDENTIAL,
  type ExpiringCredential,
} from "./event.ts";
import { FUNDING, type Funding } from "./funding.ts";
import { ORDER, type Order } from "./order.ts";
import { WITHDRAWAL, type Withdrawal } from "./withdrawal.ts";

/** The members that every event has. */
export type Envelope = Omit<EventOf<never>, "type" | "object">;

/** The types of events about withdrawals. */
export type WithdrawalEventType = Extract<EventType, `withdrawal.${string}`>;

/** An event as a partner reads it. `type` says what `object` is. */
export type ReceivedEvent =
  | Envelope & { readonly type: "order.executed"; readonly object: Order }
  | Envelope & { readonly type: "funding.completed"; readonly object: Funding }
  | Envelope & { readonly type: WithdrawalEventType; readonly object: Withdrawal }
  | Envelope & { readonly type: "credential.expiring"; readonly object: ExpiringCredential }
  | Envelope & { readonly type: "ping"; readonly object: null }
  /** An event of a newer service: to be acknowledged and ignored (Decision D41). */
  | Envelope & { readonly type: "unknown"; readonly name: string; readonly object: JsonValue };

const RECEIVED: Form<EventOf<JsonValue>> = eventOf(readOnly((object) => object));

/** Reads what `eventToJson` writes; `JSON.stringify` writes it again. Throws `WireFormatError`. */
export function eventFromJson(value: JsonValue): ReceivedEvent {
  return Object.defineProperty(read(value), "toJSON", { value: () => plainJson(value) });
}

function read(value: JsonValue): ReceivedEvent {
  const { type: name, object, ...envelope } = RECEIVED.read(value);
  const type = EVENT_TYPES.find((known) => known === name);
  switch (type) {
    case "order.executed":
      return { ...envelope, type, object: ORDER.read(object) };
    case "funding.completed":
      return { ...envelope, type, object: FUNDING.read(object) };
    case "withdrawal.created":
    case "withdrawal.completed":
    case "withdrawal.failed":
    case "withdrawal.cancelled":
      return { ...envelope, type, object: WITHDRAWAL.read(object) };
    case "credential.expiring":
      return { ...envelope, type, object: EXPIRING_CREDENTIAL.read(object) };
    case "ping":
      return { ...envelope, type, object: null };
    case undefined:
      return { ...envelope, type: "unknown", name, object };
  }
}
