import type { AnySql, Database } from "@sabika/database";
import {
  BASELINE,
  LAST_BEFORE_BASELINE,
  readSchemaRelease,
  type SchemaRelease,
} from "./schema_release.ts";

/** The state of a database's schema. */
export interface SchemaState {
  /** 0 before it was first migrated, 1 for one that release 1.0.0 made. */
  version: number;
  /** The oldest version whose programs still work on it. */
  servesFrom: number;
  /** Null before the functions were first made. */
  functionsHash: string | null;
  /** The names of the migrations applied; the baseline counts as the last one that it replaced. */
  migrations: string[];
}

/** This program must not work on this database; the message says in one line what to do. */
export class SchemaError extends Error {
  override name = "SchemaError";
}

/** Reads the state of a database's schema; writes nothing, even to an empty database. */
export async function readSchemaState(sql: AnySql): Promise<SchemaState> {
  // Release 1.0.0 kept its record in `schema_migrations`.
  const [tables] = await sql<{ numbered: boolean; unnumbered: boolean }[]>`
    select to_regclass('schema_versions') is not null as numbered,
      to_regclass('schema_migrations') is not null as unnumbered`;
  if (tables!.unnumbered) {
    return { version: 1, servesFrom: 1, functionsHash: null, migrations: ["0000_first"] };
  }
  if (!tables!.numbered) return { version: 0, servesFrom: 0, functionsHash: null, migrations: [] };
  const [[latest], steps] = await Promise.all([
    sql<{ version: number; serves_from: number; functions: string | null }[]>`
      select version, serves_from, functions from schema_versions order by version desc limit 1`,
    sql<{ name: string }[]>`select name from schema_steps order by name`,
  ]);
  return {
    version: latest?.version ?? 0,
    servesFrom: latest?.serves_from ?? 0,
    functionsHash: latest?.functions ?? null,
    migrations: steps.map(({ name }) => name === LAST_BEFORE_BASELINE ? BASELINE : name),
  };
}

/**
 * Checks that this program may work on a database: one of its own version, or a later one that
 * still serves it, during a rolling upgrade and after going back (Decision D49). Writes nothing.
 *
 * @throws {SchemaError} when it may not
 */
export async function verifySchema(database: Database, release?: SchemaRelease): Promise<void> {
  const ours = release ?? await readSchemaRelease();
  const state = await readSchemaState(database.sql);
  if (state.version < ours.version) {
    const found = state.migrations.length === 0
      ? "the database is empty"
      : `the database has schema version ${state.version}`;
    throw new SchemaError(`${found}, this program needs ${ours.version}: run \`sabika migrate\``);
  }
  refuseUnserved(state, ours);
}

/** @throws {SchemaError} when the database no longer serves programs of the release */
export function refuseUnserved(state: SchemaState, ours: SchemaRelease): void {
  if (state.servesFrom > ours.version) {
    throw new SchemaError(
      `the database has schema version ${state.version}, which serves programs from version ` +
        `${state.servesFrom}; this program has ${ours.version}: update it`,
    );
  }
  if (state.version === ours.version && state.functionsHash !== ours.functionsHash) {
    throw new SchemaError(
      `the database has other functions of schema version ${state.version} than this program: ` +
        `use the release that migrated it, or run \`sabika migrate\` of a later one`,
    );
  }
}

/** @throws {SchemaError} when the database is from before the baseline, which only makes an empty one */
export function refuseBeforeBaseline({ version, migrations }: SchemaState): void {
  if (migrations.length === 0 || migrations.includes(BASELINE)) return;
  throw new SchemaError(
    `the database has schema version ${version}, which this release cannot migrate: first run ` +
      "`sabika migrate` of commit 6e98ad0 (docs/operator/upgrade.md)",
  );
}
