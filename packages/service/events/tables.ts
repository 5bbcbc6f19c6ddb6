import type { EventType } from "@sabika/protocol";
import { bigint, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";

/**
 * The outbox (Decisions D33, D34), written in the business transaction. `object` is null where the resource's
 * immutable columns hold everything: order.executed, funding.completed, withdrawal.created.
 */
export const events = pgTable("events", {
  partnerId: integer("partner_id").notNull(),
  sequence: bigint("sequence", { mode: "bigint" }).notNull(),
  eventId: uuid("event_id").notNull(),
  resourceId: uuid("resource_id"),
  createdAt: moment("created_at").notNull(),
  type: text("type").$type<EventType>().notNull(),
  object: text("object"),
});
