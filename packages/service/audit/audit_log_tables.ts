import { sql } from "drizzle-orm";
import { bigint, bigserial, boolean, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytes, moment } from "@sabika/database";

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
  /** JSON text, without secrets; `act` names what was signed, `break_glass` says why nobody signed. */
  detail: text("detail").notNull().default("{}"),
  actId: uuid("act_id").generatedAlwaysAs(sql`((detail::jsonb) ->> 'act')::uuid`),
  previousHash: bytes("previous_hash").notNull().default(sql`''::bytea`),
  hash: bytes("hash").notNull().default(sql`''::bytea`),
});

/** The rows that an entry left, JSON text; the entry's detail has its hash (Decision D92). */
export const auditFacts = pgTable("audit_facts", {
  auditId: bigint("audit_id", { mode: "bigint" }).notNull(),
  facts: text("facts").notNull(),
});

/** The last entry's number and hash: one row, locked by each act until it is committed. */
export const auditHead = pgTable("audit_head", {
  singleton: boolean("singleton").notNull().default(true),
  auditId: bigint("audit_id", { mode: "bigint" }).notNull(),
  hash: bytes("hash").notNull(),
  /** How many entries nobody signed because somebody broke the glass. */
  breakGlasses: integer("break_glasses").notNull().default(0),
});
