import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { each } from "../../../test/support/each.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";

/** Tables that no query of Drizzle's reads: functions and plain statements do. */
const OTHERS = each(
  `act_marks balance_checkpoints balance_round changed_facts changed_rows credential_warnings closed_evidence evidence evidence_days evidence_marks key_digests margin_hours margin_marks nonces
    notification_addresses notification_choices notification_deliveries notifications partner_contacts partner_documents
  price_hours price_minutes receipt_marks receipts refiners reserve_attestations reserve_banks reserve_openings reserve_signatures reserves schema_steps schema_versions trade_keys webhook_attempts`,
);

test("each table has exactly the columns by which queries are typed", async (t) => {
  const described = (await readTables()).map((table) => {
    const { name, columns } = getTableConfig(table);
    return [
      name,
      columns.map((column) => ({
        name: column.name,
        type: column.getSQLType().replace("bigserial", "bigint").replace(" (", "("),
        required: column.notNull,
        filled: column.hasDefault || column.generated !== undefined ||
          column.generatedIdentity !== undefined,
      })).sort(byName),
    ] as const;
  });
  const { database, close } = await openTestDatabase();
  t.after(() => close());
  const rows = await database.sql<{ table: string; columns: { name: string }[] }[]>`
      select relname as table, json_agg(json_build_object('name', attname,
        'type', format_type(atttypid, atttypmod), 'required', attnotnull,
        'filled', atthasdef or attidentity <> '')) as columns
      from pg_class c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      group by relname`;
  const found = rows.filter(({ table }) => !OTHERS.includes(table)).map((
    { table, columns },
  ) => [table, columns.sort(byName)]);
  assertEquals(Object.fromEntries(found), Object.fromEntries(described));
});

/**
 * The tables that every cell has rows in (Decision D53). One that is new belongs here, or is control's:
 * then its migration makes it the trigger that refuses rows in a cell, as 0029 does for the others.
 */
const OF_CELLS =
  "accounts act_marks audit_facts audit_head audit_log balance_checkpoints balance_round booked_acts changed_facts " +
  "changed_rows " +
  "day_closings deployment event_deliveries events evidence evidence_days evidence_marks fundings idempotency_keys " +
  "key_digests margin_hours margin_marks move_ends nonces orders prices quotes receipt_marks receipts recounts " +
  "schema_steps schema_versions trade_keys transfers webhook_attempts webhook_lanes withdrawals";

test("each table belongs to cells, or takes no row in a cell", async (t) => {
  const { database: { sql }, close } = await openTestDatabase();
  t.after(() => close());
  const rows = await sql<{ name: string }[]>`
    select relname::text as name from pg_class c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and not exists (select from pg_trigger where tgrelid = c.oid
        and tgfoid = 'refuse_in_cell'::regproc) order by 1`;
  assertEquals(rows.map(({ name }) => name).join(" "), OF_CELLS);
});

/** What every `tables.ts` of the packages describes. */
async function readTables(): Promise<PgTable[]> {
  const packages = new URL("../../", import.meta.url);
  const paths = (await readdir(packages, { recursive: true })).filter((path) =>
    path.endsWith("tables.ts") && !path.includes("node_modules")
  );
  const modules = await Promise.all(paths.map((path) => import(new URL(path, packages).href)));
  return modules.flatMap((module) => Object.values(module)).filter((value) => is(value, PgTable));
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}
