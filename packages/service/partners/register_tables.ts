import { sql } from "drizzle-orm";
import { bigint, boolean, pgTable } from "drizzle-orm/pg-core";

/** Counts the changes of the register, so that instances know when to read it again. */
export const registerState = pgTable("register_state", {
  singleton: boolean("singleton").notNull().default(true),
  revision: bigint("revision", { mode: "bigint" }).notNull().default(sql`0`),
});
