import { sql } from "drizzle-orm";
import { bigserial, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";

/** What operators did; append only. */
export const auditLog = pgTable("audit_log", {
  auditId: bigserial("audit_id", { mode: "bigint" }).notNull(),
  at: moment("at").notNull().default(sql`clock_timestamp()`),
  actor: text("actor").notNull(),
  action: text("action").notNull(),
  partnerId: integer("partner_id"),
  /** JSON text, without secrets. */
  detail: text("detail").notNull().default("{}"),
}, (t) => [primaryKey({ name: "audit_log_pk", columns: [t.auditId] })]);
