import { test } from "node:test";
import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import {
  lastRelease,
  nextRelease,
  sourceHash,
  withMigrated,
} from "../../../test/support/schema_releases.ts";
import { verifyAudit } from "../admin/audit_chain.ts";
import { withAuditRecord } from "../admin/audit_record.ts";
import { openDatabase } from "./database.ts";
import { migrate, type Migration, planMigration } from "./migrate.ts";
import { readSchemaRelease } from "./schema_release.ts";
import { readSchemaState, SchemaError, verifySchema } from "./schema_state.ts";

const ours = await readSchemaRelease();
const next = nextRelease(ours);
const ALL_STEPS = [...ours.migrations.map(({ name }) => name), "functions"];

test("an empty database is refused with the way out, and stays empty", async () => {
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

test("of two migrations at once one ends each step, the other waits (F24)", async () => {
  await withMigrated([], async ({ database, url }) => {
    const other = openDatabase(url, { maxConnections: 1 });
    const recorded: Migration[] = [];
    const record = (_: unknown, migration: Migration) => {
      recorded.push(migration);
      return Promise.resolve();
    };
    const done = await Promise.all([database, other].map((one) => migrate(one, { record })));
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

test("an older database is refused and left as it is, until it is migrated", async () => {
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

test("a newer database that serves us is accepted, and never gets our functions", async () => {
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

test("a newer database that no longer serves us is refused by programs and migrations", async () => {
  await withMigrated([nextRelease(ours, { servesFrom: next.version })], async ({ database }) => {
    const before = await sourceHash(database);
    for (const act of [verifySchema, planMigration, migrate]) {
      await assertRejects(() => act(database), SchemaError, "update it");
    }
    assertEquals(await sourceHash(database), before);
  });
});

test("other functions under the same version are refused", async () => {
  await withMigrated([nextRelease(ours, { version: ours.version })], async ({ database }) => {
    const before = await sourceHash(database);
    for (const act of [verifySchema, planMigration, migrate]) {
      await assertRejects(() => act(database), SchemaError, "other functions");
    }
    assertEquals(await sourceHash(database), before);
  });
});

test("after a failure in the middle the old programs work, and the next run goes on", async () => {
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
      ...["9000_next", "9001_last", "functions"],
    ]);
  });
});

test("a database of release 1.0.0 is taken over, and 1.0.0 cannot replace its functions", async () => {
  await withMigrated([ours], async ({ database }) => {
    // What 1.0.0 left, and how it began each start.
    const begin = "CREATE TABLE IF NOT EXISTS schema_migrations (name text NOT NULL PRIMARY KEY, " +
      "applied_at timestamptz NOT NULL DEFAULT now());";
    await database.sql.unsafe(
      `${begin} INSERT INTO schema_migrations (name) SELECT name FROM schema_steps;
       INSERT INTO schema_migrations (name) VALUES ('functions 0123456789abcdef');
       DROP TABLE schema_versions; DROP TABLE schema_steps`,
    );
    const old = await readSchemaState(database.sql);
    assertEquals([old.version, old.functionsHash], [1, "0123456789abcdef"]);
    await assertRejects(() => verifySchema(database), SchemaError, "has schema version 1");
    assertEquals((await migrate(database)).steps, ["functions"]);
    await verifySchema(database);

    const [first] = ours.migrations;
    const start = () => database.sql.begin((sql) => sql.unsafe(begin + first!.statements));
    await assertRejects(start, Error, "already exists");
    assertEquals((await readSchemaState(database.sql)).version, ours.version);
  });
});

test("entries that were written before the audit log was chained are chained as they stand", async () => {
  const unchained = ours.migrations.findIndex(({ name }) => name === "0005_audit_chain");
  const old = {
    ...lastRelease(ours),
    migrations: ours.migrations.slice(0, unchained),
    // Today's read tables that were not there yet, and one was made by a later step.
    functions: `set local check_function_bodies = off; ${ours.functions};
      drop function open_accounts_of_copy();`,
  };
  await withMigrated([old], async ({ database }) => {
    const { sql } = database;
    // As an earlier release wrote them: refused acts left gaps in the numbers.
    for (const id of [1n, 2n, 5n, 6n]) {
      await sql`insert into audit_log (audit_id, actor, action, detail)
        values (${id}, 'operator', 'partner.update', '{"name":"مصرف"}')`;
    }
    await migrate(database);
    await sql`insert into audit_log (actor, action) values ('operator', 'after')`;
    const { entries, head, findings } = await withAuditRecord(sql, verifyAudit);
    assertEquals([entries, head.auditId, findings], [5, 7n, []]);
  });
});
