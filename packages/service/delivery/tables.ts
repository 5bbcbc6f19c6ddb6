import { sql } from "drizzle-orm";
import { bigint, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";

/**
 * One cursor per partner: which event is delivered next, when, and how many at once (Decision D54).
 * `failing_since` is the first failure since the last accepted attempt; null while there is none.
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
});

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
});
