import { readdir, readFile } from "node:fs/promises";
import type { Database } from "./database.ts";

const FOLDER = new URL("./", import.meta.url);
/** An arbitrary constant, the same for all instances. */
const ADVISORY_LOCK = 730_500_001n;

/** One step of bringing a database up to date. */
export interface MigrationStep {
  name: string;
  statements: string;
}

/** The migrations in the order of their journal. */
export async function readMigrations(): Promise<MigrationStep[]> {
  const journal = JSON.parse(
    await readFile(new URL("migrations/meta/_journal.json", FOLDER), "utf8"),
  ) as { entries: { tag: string }[] };
  return await Promise.all(journal.entries.map(async ({ tag }) => ({
    name: tag,
    statements: await readFile(new URL(`migrations/${tag}.sql`, FOLDER), "utf8"),
  })));
}

/**
 * The SQL functions, recreated when any of them changes, so they need no migrations. A function
 * whose arguments, result or meaning change gets a new name, and the old one stays for a release:
 * during a rolling upgrade the instances of both releases call their own in one database.
 */
async function readFunctions(): Promise<MigrationStep> {
  const folder = new URL("functions/", FOLDER);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), "utf8")));
  const all = texts.join("\n");
  const dropped = [...all.matchAll(/^CREATE FUNCTION ([a-z_]+)\(/gm)]
    .map((match) => `DROP FUNCTION IF EXISTS ${match[1]};\n`);
  const statements = dropped.join("") + all;
  return { name: `functions ${await hashText(statements)}`, statements };
}

/**
 * Brings the database up to date: all or nothing, one instance at a time (fault F24).
 *
 * @returns the names of what was applied; empty when there was nothing to do.
 */
export async function migrate(database: Database): Promise<string[]> {
  const steps = [...await readMigrations(), await readFunctions()];
  return await database.sql.begin(async (sql) => {
    // Another instance may be in the middle of a long migration.
    await sql`set local lock_timeout = 0`;
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`;
    await sql.unsafe(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         name text NOT NULL CONSTRAINT schema_migrations_pk PRIMARY KEY,
         applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    const rows = await sql<{ name: string }[]>`select name from schema_migrations`;
    const known = new Set(rows.map((row) => row.name));
    const applied: string[] = [];
    for (const step of steps) {
      if (known.has(step.name)) continue;
      if (step.name.startsWith("functions ")) {
        await sql`delete from schema_migrations where name like 'functions %'`;
      }
      await sql.unsafe(step.statements);
      await sql`insert into schema_migrations (name) values (${step.name})`;
      applied.push(step.name);
    }
    return applied;
  });
}

/** The hash of everything that `migrate` applies; it names a template database or a snapshot. */
export async function schemaHash(): Promise<string> {
  const steps = [...await readMigrations(), await readFunctions()];
  return await hashText(steps.map((step) => step.statements).join("\n"));
}

async function hashText(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(hash, 0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
