import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";
import type { Role } from "./names.ts";
import { acts } from "./people.ts";

/** Which acts need a second person (Decision D81), and who that may be. */
export const approvalRules = pgTable("approval_rules", {
  act: text("act").notNull(),
  /** The act needs one when any of these holds; without any, always. */
  conditions: jsonb("conditions").$type<readonly string[]>().notNull().default(sql`'[]'::jsonb`),
  approvers: jsonb("approvers").$type<readonly Role[]>().notNull(),
}, (t) => [primaryKey({ name: "approval_rules_pk", columns: [t.act] })]);

/** Acts that wait for a second person, or waited. */
export const approvals = pgTable("approvals", {
  /** The act that was asked for. */
  requestId: uuid("request_id").notNull(),
  requesterId: integer("requester_id").notNull(),
  /** Where the requester acted from. */
  requestedFrom: text("requested_from").notNull(),
  requestedAt: moment("requested_at").notNull(),
  expiresAt: moment("expires_at").notNull(),
  /** What the request was made on; changed facts make it void. */
  facts: text("facts").notNull(),
  state: text("state").$type<"waiting" | "done" | "rejected" | "void">().notNull()
    .default("waiting"),
  /** The act that ended it, and whose that was. */
  decisionId: uuid("decision_id"),
  deciderId: integer("decider_id"),
  decidedAt: moment("decided_at"),
  reason: text("reason"),
}, (t) => [
  primaryKey({ name: "approvals_pk", columns: [t.requestId] }),
  unique("approvals_decision_unique").on(t.decisionId),
  foreignKey({
    name: "approvals_request_fk",
    columns: [t.requestId, t.requesterId],
    foreignColumns: [acts.actId, acts.operatorId],
  }),
  foreignKey({
    name: "approvals_decision_fk",
    columns: [t.decisionId, t.deciderId],
    foreignColumns: [acts.actId, acts.operatorId],
  }),
  check("approvals_state", sql`${t.state} in ('waiting', 'done', 'rejected', 'void')`),
  check("approvals_second_person", sql`${t.state} <> 'done' or ${t.deciderId} <> ${t.requesterId}`),
  check("approvals_in_time", sql`${t.state} <> 'done' or ${t.decidedAt} <= ${t.expiresAt}`),
  check(
    "approvals_decided",
    sql`(${t.state} = 'waiting') = (${t.decisionId} is null)
      and (${t.decisionId} is null) = (${t.deciderId} is null)
      and (${t.decisionId} is null) = (${t.decidedAt} is null)`,
  ),
]);
