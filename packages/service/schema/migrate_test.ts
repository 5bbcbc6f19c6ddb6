import { test } from "node:test";
import { assertEquals, assertNotEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { openDatabase } from "@sabika/database";
import {
  lastRelease,
  nextRelease,
  sourceHash,
  withMigrated,
} from "../../../test/support/schema_releases.ts";
import { migrate, type Migration, planMigration } from "./migrate.ts";
import { readSchemaRelease } from "./schema_release.ts";
import { readSchemaState, SchemaError, verifySchema } from "./schema_state.ts";

const ours = await readSchemaRelease();
const next = nextRelease(ours);
const ALL_STEPS = [...ours.migrations.map(({ name }) => name), "functions"];

test("an empty database is refused with the remedy, and stays empty", async () => {
  await withMigrated([], async ({ database }) => {
    await assertRejects(
      () => verifySchema(database),
      SchemaError,
      `the database is empty, this program needs ${ours.version}: run \`sabika migrate\``,
    );
    assertEquals((await planMigration(database)).steps, ALL_STEPS);
    const tables = await database.sql`select from pg_tables where schemaname = 'public'`;
    assertEquals(tables.length, 0);
  });
});

test("of two concurrent migrations one does each step while the other waits (F24)", async () => {
  await withMigrated([], async ({ database, url }) => {
    const other = openDatabase(url, { maxConnections: 1 });
    const recorded: Migration[] = [];
    const record = (_: unknown, migration: Migration) => {
      recorded.push(migration);
      return Promise.resolve();
    };
    const done = await Promise.all(
      [database, other].map((migrated) => migrate(migrated, { record })),
    );
    assertEquals(done.map(({ steps }) => steps).sort((a, b) => a.length - b.length), [
      [],
      ALL_STEPS,
    ]);
    assertEquals(recorded.map(({ from, to }) => [from.version, to.version]), [[0, ours.version]]);
    await verifySchema(database);
    assertEquals((await migrate(other, { record })).steps, []);
    assertEquals(recorded.length, 1);
    await other.close();
  });
});

test("an older database is refused and left unchanged until it is migrated", async () => {
  await withMigrated([lastRelease(ours)], async ({ database }) => {
    const before = await sourceHash(database);
    const message = `schema version ${ours.version - 1}, this program needs ${ours.version}`;
    await assertRejects(() => verifySchema(database), SchemaError, message);
    assertEquals(await sourceHash(database), before);
    assertEquals((await migrate(database)).steps, ["functions"]);
    assertNotEquals(await sourceHash(database), before);
    await verifySchema(database);
  });
});

test("a newer database that serves this release is accepted, and keeps its functions", async () => {
  await withMigrated([ours], async ({ database }) => {
    const before = await sourceHash(database);
    assertEquals((await migrate(database, { release: next })).steps, ["9000_next", "functions"]);
    const after = await sourceHash(database);
    assertNotEquals(after, before);
    await verifySchema(database);
    assertEquals((await migrate(database)).steps, []);
    assertEquals(await sourceHash(database), after);
  });
});

test("a database that no longer serves this release, or has other functions, is refused and unchanged", async () => {
  const releases = [
    [nextRelease(ours, { servesFrom: next.version }), "update it"],
    [nextRelease(ours, { version: ours.version }), "other functions"],
  ] as const;
  for (const [release, words] of releases) {
    await withMigrated([release], async ({ database }) => {
      const before = await sourceHash(database);
      for (const act of [verifySchema, planMigration, migrate]) {
        await assertRejects(() => act(database), SchemaError, words);
      }
      assertEquals(await sourceHash(database), before);
    });
  }
});

test("after a failed migration the old programs work, and the next run continues", async () => {
  await withMigrated([ours], async ({ database }) => {
    const before = await sourceHash(database);
    const last = { name: "9001_last", statements: "CREATE TABLE half (); SELECT 1 / 0" };
    const failing = { ...next, migrations: [...next.migrations, last] };
    await assertRejects(() => migrate(database, { release: failing }), Error, "division by zero");
    const { version, migrations } = await readSchemaState(database.sql);
    assertEquals([version, migrations.at(-1)], [ours.version, "9000_next"]);
    assertEquals(await sourceHash(database), before);
    await verifySchema(database);
    // The whole step was taken back; what the next run records has the steps of both.
    const mended = { ...last, statements: "CREATE TABLE half ()" };
    const release = { ...next, migrations: [...next.migrations, mended] };
    assertEquals((await planMigration(database, release)).steps, ["9001_last", "functions"]);
    assertEquals((await migrate(database, { release })).steps, [
      "9000_next",
      "9001_last",
      "functions",
    ]);
  });
});

test("a database with all migrations that the baseline replaced is at the baseline", async () => {
  await withMigrated([lastRelease(ours)], async ({ database }) => {
    await database.sql`insert into schema_steps (name, version)
      values ('0000_first', 2), ('0045_acts_everywhere', 49)`;
    await database.sql`delete from schema_steps where name = '0000_baseline'`;
    assertEquals((await migrate(database)).steps, ["functions"]);
    await verifySchema(database);
  });
});

test("a database from before the baseline is refused with the remedy, and left unchanged", async () => {
  const path = "first run `sabika migrate` of commit 6e98ad0";
  const records = {
    // Release 1.0.0's record, then one that a later checkout left in the middle.
    1: `DROP TABLE schema_versions; DROP TABLE schema_steps;
      CREATE TABLE schema_migrations (name text NOT NULL PRIMARY KEY)`,
    47: `DELETE FROM schema_steps; INSERT INTO schema_steps VALUES ('0043_moves_guards', 47);
      UPDATE schema_versions SET version = 47`,
  };
  for (const [version, statements] of Object.entries(records)) {
    await withMigrated([ours], async ({ database }) => {
      await database.sql.unsafe(statements);
      const before = await sourceHash(database);
      const found = `the database has schema version ${version}`;
      await assertRejects(() => verifySchema(database), SchemaError, found);
      for (const act of [planMigration, migrate]) {
        const { message } = await assertRejects(() => act(database), SchemaError, found);
        assertStringIncludes(message, path);
      }
      assertEquals(await sourceHash(database), before);
    });
  }
});
