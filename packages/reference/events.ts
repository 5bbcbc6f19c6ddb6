import {
  EVENT_TYPES,
  eventOf,
  type EventType,
  EXPIRING_CREDENTIAL,
  FUNDING,
  ORDER,
  type Shape,
  WITHDRAWAL,
} from "@sabika/protocol";
import { EXAMPLE_TIME, EXAMPLES } from "./examples.ts";

/** The meaning, object and example of each type of event (Decision D34). */
const EVENTS: Readonly<Record<EventType, readonly [meaning: string, object: Shape, unknown]>> = {
  "order.executed": ["An order was executed.", ORDER.shape, EXAMPLES.order],
  "funding.completed": ["Money came in.", FUNDING.shape, EXAMPLES.funding],
  "withdrawal.created": [
    "A withdrawal was requested; its money is held.",
    WITHDRAWAL.shape,
    EXAMPLES.withdrawal,
  ],
  "withdrawal.completed": [
    "The bank paid a withdrawal.",
    WITHDRAWAL.shape,
    { ...EXAMPLES.withdrawal, status: "completed", completed_at: EXAMPLE_TIME },
  ],
  "withdrawal.failed": [
    "The bank could not pay a withdrawal; the money is back.",
    WITHDRAWAL.shape,
    { ...EXAMPLES.withdrawal, status: "failed", failure: { reason: "The account is closed." } },
  ],
  "withdrawal.cancelled": [
    "A withdrawal was cancelled before it was paid; the money is back.",
    WITHDRAWAL.shape,
    { ...EXAMPLES.withdrawal, status: "cancelled" },
  ],
  "credential.expiring": [
    "A credential ends in 30, 14, 7 or 1 days.",
    EXPIRING_CREDENTIAL.shape,
    EXAMPLES.expiringCredential,
  ],
  "ping": ["A test of your endpoint.", { type: "object" }, {}],
};

/** The `operationId`s of what makes an event of a type happen; the other types happen by themselves. */
const CAUSES: Readonly<Partial<Record<EventType, readonly string[]>>> = {
  "order.executed": ["createOrder"],
  "funding.completed": ["fund", "createScenario"],
  "withdrawal.created": ["createWithdrawal"],
  "withdrawal.completed": ["createWithdrawal"],
  "withdrawal.failed": ["createWithdrawal"],
  "withdrawal.cancelled": ["cancelWithdrawal"],
  "ping": ["enableWebhook"],
};

/** A type of event as webhooks deliver it. */
export interface EventContract {
  readonly type: EventType;
  readonly description: string;
  /** The name of its object's schema; undefined for an empty object. */
  readonly objectTitle: string | undefined;
  /** The `operationId`s of what makes it happen. */
  readonly causes: readonly string[];
  readonly shape: Shape;
  readonly example: unknown;
}

const anyObject = { write: () => "", read: () => undefined };

/** Every type of event, in the order of Decision D34. */
export const EVENT_CONTRACTS: readonly EventContract[] = EVENT_TYPES.map((type) => {
  const [description, object, example] = EVENTS[type];
  const { title: _title, properties, ...rest } = eventOf({ ...anyObject, shape: object }).shape;
  const { delivery: _delivery, type: typeShape, ...others } = properties!;
  const typed = { const: type, description: typeShape!.description };
  return {
    type,
    description,
    objectTitle: object.title,
    causes: CAUSES[type] ?? [],
    shape: { ...rest, properties: { ...others, type: typed } },
    example: exampleOf(type, example),
  };
});

/** The shape of an event in an answer, whose object is one of those that webhooks have. */
export const EVENT_SHAPE: Shape = eventOf({
  ...anyObject,
  shape: {
    description: "The object that the type names; an empty object for `ping`.",
    anyOf: [ORDER.shape, FUNDING.shape, WITHDRAWAL.shape, EXPIRING_CREDENTIAL.shape, {
      type: "object",
    }],
  },
}).shape;

/** An example of an event in an answer, with its delivery. */
export const EVENT_EXAMPLE: unknown = {
  ...exampleOf("order.executed", EXAMPLES.order),
  delivery: {
    status: "delivered",
    attempts: 1,
    next_attempt_at: null,
    delivered_at: EXAMPLE_TIME,
  },
};

function exampleOf(type: EventType, object: unknown): object {
  return {
    id: "evt_019e9c5e-51b5-7aa0-8c44-2f3d5e6a7b80",
    type,
    api_version: "v1",
    environment: "sandbox",
    sequence: 2,
    timestamp: EXAMPLE_TIME,
    data: { object },
  };
}
