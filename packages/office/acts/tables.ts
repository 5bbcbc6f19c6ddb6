import { sql } from "drizzle-orm";
import { integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";
import type { Role } from "@sabika/terms";

/** Which acts need a second person (Decision D81), and which roles may approve them. */
export const approvalRules = pgTable("approval_rules", {
  act: text("act").notNull(),
  /** The act needs a second person when any of these holds; when there are none, always. */
  conditions: jsonb("conditions").$type<readonly string[]>().notNull().default(sql`'[]'::jsonb`),
  approvers: jsonb("approvers").$type<readonly Role[]>().notNull(),
});

/** Acts that wait for a second person, or waited. */
export const approvals = pgTable("approvals", {
  /** The act that was asked for. */
  requestId: uuid("request_id").notNull(),
  requesterId: integer("requester_id").notNull(),
  /** The address that the requester acted from. */
  requestedFrom: text("requested_from").notNull(),
  requestedAt: moment("requested_at").notNull(),
  expiresAt: moment("expires_at").notNull(),
  /** The facts when it was requested, as JSON text; when they change, it becomes void. */
  facts: text("facts").notNull(),
  state: text("state").$type<"waiting" | "done" | "rejected" | "void">().notNull()
    .default("waiting"),
  /** The act that decided it, and the person whose act that was. */
  decisionId: uuid("decision_id"),
  deciderId: integer("decider_id"),
  decidedAt: moment("decided_at"),
  reason: text("reason"),
});
