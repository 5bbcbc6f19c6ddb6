import type { EventType } from "@sabika/protocol";
import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";
import { partners } from "./partners.ts";

/**
 * The outbox (Decisions D33, D34), written in the business transaction. `object` is null where the
 * resource's immutable columns hold everything: order.executed, funding.completed,
 * withdrawal.created.
 */
export const events = pgTable("events", {
  partnerId: integer("partner_id").notNull(),
  sequence: bigint("sequence", { mode: "bigint" }).notNull(),
  eventId: uuid("event_id").notNull(),
  resourceId: uuid("resource_id"),
  createdAt: moment("created_at").notNull(),
  type: text("type").$type<EventType>().notNull(),
  object: text("object"),
}, (t) => [
  primaryKey({ name: "events_pk", columns: [t.partnerId, t.sequence] }),
  unique("events_id_unique").on(t.partnerId, t.eventId),
  // Not of orders, which write nothing here: theirs are found by the order's time.
  index("events_resource_index").on(t.partnerId, t.resourceId, t.sequence)
    .where(sql`${t.type} <> 'order.executed'`),
]);

/**
 * One cursor per partner: which event is delivered next, when, and how many at once (Decision D54).
 * No attempt since `failing_since` was accepted; null while the last one was. The table
 * `webhook_attempts` is missing here: it is partitioned, which Drizzle cannot express.
 */
export const webhookLanes = pgTable("webhook_lanes", {
  partnerId: integer("partner_id").notNull(),
  nextSequence: bigint("next_sequence", { mode: "bigint" }).notNull().default(sql`1`),
  attempts: integer("attempts").notNull().default(0),
  inFlight: integer("in_flight").notNull().default(16),
  nextAttemptAt: moment("next_attempt_at").notNull().default(sql`now()`),
  leasedUntil: moment("leased_until"),
  leasedBy: uuid("leased_by"),
  disabledAt: moment("disabled_at"),
  disabledReason: text("disabled_reason"),
  failingSince: moment("failing_since"),
}, (t) => [
  primaryKey({ name: "webhook_lanes_pk", columns: [t.partnerId] }),
  foreignKey({
    name: "webhook_lanes_partner_fk",
    columns: [t.partnerId],
    foreignColumns: [partners.partnerId],
  }),
  check("webhook_lanes_in_flight", sql`${t.inFlight} between 1 and 64`),
]);

/** Events whose delivery has failed, was given up, or was requested again. */
export const eventDeliveries = pgTable("event_deliveries", {
  partnerId: integer("partner_id").notNull(),
  sequence: bigint("sequence", { mode: "bigint" }).notNull(),
  state: text("state").$type<"failing" | "delivered" | "exhausted" | "requested">().notNull(),
  attempts: integer("attempts").notNull().default(0),
  nextAttemptAt: moment("next_attempt_at"),
  leasedUntil: moment("leased_until"),
  lastAttemptAt: moment("last_attempt_at"),
  lastStatus: integer("last_status"),
  lastError: text("last_error"),
}, (t) => [
  primaryKey({ name: "event_deliveries_pk", columns: [t.partnerId, t.sequence] }),
  foreignKey({
    name: "event_deliveries_event_fk",
    columns: [t.partnerId, t.sequence],
    foreignColumns: [events.partnerId, events.sequence],
  }),
  index("event_deliveries_state_index").on(t.partnerId, t.state, t.sequence),
  index("event_deliveries_due_index").on(t.nextAttemptAt).where(
    sql`${t.nextAttemptAt} is not null`,
  ),
  check(
    "event_deliveries_state",
    sql`${t.state} in ('failing', 'delivered', 'exhausted', 'requested')`,
  ),
]);
