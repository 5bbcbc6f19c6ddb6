import { sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  boolean,
  check,
  integer,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import { bytes, moment } from "./columns.ts";

/**
 * What operators did; append only. A trigger numbers each entry and chains it to the one before by
 * its hash (Decision D71), whoever inserts it.
 */
export const auditLog = pgTable("audit_log", {
  auditId: bigserial("audit_id", { mode: "bigint" }).notNull(),
  at: moment("at").notNull().default(sql`clock_timestamp()`),
  actor: text("actor").notNull(),
  action: text("action").notNull(),
  partnerId: integer("partner_id"),
  /** JSON text, without secrets. */
  detail: text("detail").notNull().default("{}"),
  previousHash: bytes("previous_hash").notNull().default(sql`''::bytea`),
  hash: bytes("hash").notNull().default(sql`''::bytea`),
}, (t) => [primaryKey({ name: "audit_log_pk", columns: [t.auditId] })]);

/** The last entry's number and hash: one row, locked by each act until it is committed. */
export const auditHead = pgTable("audit_head", {
  singleton: boolean("singleton").notNull().default(true),
  auditId: bigint("audit_id", { mode: "bigint" }).notNull(),
  hash: bytes("hash").notNull(),
}, (t) => [
  primaryKey({ name: "audit_head_pk", columns: [t.singleton] }),
  check("audit_head_singleton", sql`${t.singleton}`),
]);
