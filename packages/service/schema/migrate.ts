import type { Database, Transaction } from "@sabika/database";
import { inSchema } from "./in_schema.ts";
import { readSchemaRelease, type SchemaRelease } from "./schema_release.ts";
import {
  readSchemaState,
  refuseBeforeBaseline,
  refuseUnserved,
  type SchemaState,
} from "./schema_state.ts";

/** An arbitrary constant, the same for all releases. */
const ADVISORY_LOCK = 730_500_001n;

/** The steps that bring a database from one version to another. */
export interface Migration {
  from: Pick<SchemaState, "version" | "functionsHash">;
  to: Pick<SchemaState, "version" | "functionsHash" | "servesFrom">;
  /** The names of the steps, in order; empty when there is nothing to do. */
  steps: string[];
}

/** The last step, which creates the functions and records the version. */
const FUNCTIONS = "functions";

/**
 * Returns what `migrate` would do. Writes nothing.
 *
 * @throws {SchemaError} when the database no longer serves programs of the release, or is from before
 *   the baseline
 */
export async function planMigration(
  database: Database,
  release?: SchemaRelease,
): Promise<Migration> {
  const ours = release ?? await readSchemaRelease();
  const state = await readSchemaState(database.sql);
  if (state.version >= ours.version) {
    refuseUnserved(state, ours);
    return { from: state, to: state, steps: [] };
  }
  refuseBeforeBaseline(state);
  const missing = ours.migrations.filter(({ name }) => !state.migrations.includes(name));
  return { from: state, to: ours, steps: [...missing.map(({ name }) => name), FUNCTIONS] };
}

/**
 * Brings a database forward to a release (Decision D49): each migration in its own transaction, then
 * the functions and the version in one. After a crash it continues where it was; of several concurrent
 * calls one takes each step (fault F24). A database of a later version is left as it is.
 *
 * @param options.record called in the transaction of the last step, once for each version
 * @returns what this call completed
 * @throws {SchemaError} when the database no longer serves programs of the release, or is from before
 *   the baseline
 */
export async function migrate(
  database: Database,
  options: {
    record?: (sql: Transaction, migration: Migration) => Promise<void>;
    release?: SchemaRelease;
  } = {},
): Promise<Migration> {
  const release = options.release ?? await readSchemaRelease();
  const plan = await planMigration(database, release);
  if (plan.steps.length === 0) return plan;
  await alone(database, makeRecords);
  for (const { name, statements } of release.migrations) {
    await alone(database, async (sql) => {
      const { version, migrations } = await readSchemaState(sql);
      if (version >= release.version || migrations.includes(name)) return;
      await sql.unsafe(inSchema(statements, database.schema));
      await sql`insert into schema_steps (name, version) values (${name}, ${release.version})`;
    });
  }
  return await alone(database, async (sql) => {
    const state = await readSchemaState(sql);
    if (state.version >= release.version) return { from: state, to: state, steps: [] };
    const migration = { from: state, to: release, steps: await stepsSince(sql, state.version) };
    await finish(sql, release, database.schema);
    await options.record?.(sql, migration);
    return migration;
  });
}

/** Runs a transaction that excludes those of other migrations. */
async function alone<T>(database: Database, body: (sql: Transaction) => Promise<T>): Promise<T> {
  return await database.sql.begin(async (sql) => {
    // Another migration may be at a long step. Table locks are waited for briefly, since every order
    // would wait behind.
    await sql`set local lock_timeout = 0`;
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`;
    await sql`set local lock_timeout to default`;
    // Everything belongs to the owner, whichever of its members creates it.
    await sql`select set_config('role', 'sabika_owner', true) from pg_namespace
      where nspname = ${database.schema} and nspowner = to_regrole('sabika_owner')`;
    return await body(sql);
  }) as T;
}

/** Creates the tables of versions and steps. */
async function makeRecords(sql: Transaction): Promise<void> {
  await sql.unsafe(
    `CREATE TABLE IF NOT EXISTS schema_steps (
       name text NOT NULL CONSTRAINT schema_steps_pk PRIMARY KEY,
       version integer NOT NULL,
       applied_at timestamptz NOT NULL DEFAULT clock_timestamp());
     CREATE TABLE IF NOT EXISTS schema_versions (
       version integer NOT NULL CONSTRAINT schema_versions_pk PRIMARY KEY,
       serves_from integer NOT NULL,
       functions text,
       applied_at timestamptz NOT NULL DEFAULT clock_timestamp())`,
  );
}

/** All steps since a version, including those of a migration that crashed. */
async function stepsSince(sql: Transaction, version: number): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from schema_steps where version > ${version} order by applied_at`;
  return [...rows.map(({ name }) => name), FUNCTIONS];
}

async function finish(sql: Transaction, release: SchemaRelease, schema: string): Promise<void> {
  const { version, servesFrom, functions, functionsHash } = release;
  await sql.unsafe(inSchema(functions, schema));
  await sql`select grant_privileges()`;
  await sql`insert into schema_versions (version, serves_from, functions)
    values (${version}, ${servesFrom}, ${functionsHash})`;
}
