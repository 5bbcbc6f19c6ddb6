import { test } from "node:test";
import { assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { migrateDatabase } from "@sabika/office/people";
import { readSchemaRelease } from "@sabika/service/schema";
import { operatorOf, runOperator } from "../../test/support/run_operator.ts";
import {
  lastRelease,
  nextRelease,
  sourceHash,
  withMigrated,
} from "../../test/support/schema_releases.ts";
import { adminOn } from "../../test/support/test_admin.ts";
import { openTestDatabase, type TestDatabase } from "../../test/support/test_database.ts";

const ours = await readSchemaRelease();

const envOf = ({ url }: TestDatabase) => ({ SABIKA_DATABASE_URL: url, SABIKA_DATA: "/nowhere" });

test("a command on a database of another checkout changes no function of it", async () => {
  const cases = [
    { release: lastRelease(ours), code: 1, reason: "run `sabika migrate`" },
    { release: nextRelease(ours), code: 0, reason: "" },
    { release: nextRelease(ours, { servesFrom: ours.version + 1 }), code: 1, reason: "update it" },
    { release: nextRelease(ours, { version: ours.version }), code: 1, reason: "other functions" },
  ];
  for (const { release, code, reason } of cases) {
    await withMigrated([release], async (test) => {
      const { database } = test;
      const env = envOf(test);
      const before = await sourceHash(database);
      const run = await runOperator(["partner", "list"], env);
      assertEquals([run.code, run.stderr.split("\n").length], [code, code === 0 ? 1 : 2]);
      assertStringIncludes(run.stderr, reason);
      assertEquals(await sourceHash(database), before);
    });
  }
});

test("an empty database is refused until `sabika migrate`, which a dry run only describes", async () => {
  await withMigrated([], async (test) => {
    const { database } = test;
    const env = envOf(test);
    const create = ["price", "pause", "--environment", "sandbox"];
    const refused = await runOperator([...create, "--json"], env);
    const { error } = JSON.parse(refused.stderr);
    assertEquals([refused.code, error.code], [1, "schema_version"]);
    assertStringIncludes(error.message, "the database is empty");

    const dry = await runOperator(["migrate", "--dry-run"], env);
    assertEquals(dry.code, 0, dry.stderr);
    assertStringIncludes(dry.stdout, `schema version 0 → ${ours.version}`);
    assertStringIncludes(dry.stdout, "\n  0000_baseline\n");
    assertStringIncludes(
      dry.stdout,
      `\n  functions none → ${ours.functionsHash}\nnothing was done`,
    );
    assertEquals((await database.sql`select from pg_tables where schemaname = 'public'`).length, 0);

    const sabika = operatorOf(env);
    const steps = [...ours.migrations.map(({ name }) => name), "functions"];
    const to = {
      version: ours.version,
      functions: ours.functionsHash,
      serves_from: ours.servesFrom,
    };
    const from = { version: 0, functions: null };
    assertEquals(await sabika("migrate"), { migrated: true, from, to, steps });
    const again = await sabika("migrate");
    assertEquals([again["migrated"], again["steps"]], [false, []]);
    assertEquals(await sabika<unknown[]>("partner", "list"), []);
  });
});

test("`sabika migrate` twice at once migrates once, with one audit entry", async () => {
  await withMigrated([lastRelease(ours)], async (test) => {
    const { database } = test;
    const env = envOf(test);
    const sabika = operatorOf({ ...env, SABIKA_OPERATOR: "layla" });
    const both = await Promise.all([sabika("migrate"), sabika("migrate")]);
    assertEquals(both.map(({ migrated }) => migrated).sort(), [false, true]);
    const entries = await sabika<Record<string, unknown>[]>("audit", "list");
    assertEquals(entries.map(({ who, action, detail }) => ({ who, action, detail })), [{
      who: "layla",
      action: "schema.migrate",
      detail: {
        from_version: ours.version - 1,
        to_version: ours.version,
        serves_from: ours.servesFrom,
        functions_before: lastRelease(ours).functionsHash,
        functions_after: ours.functionsHash,
        steps: ["functions"],
      },
    }]);

    // A later release migrates; this one still works, and cannot undo it.
    const actor = { who: "omar", from: "test" };
    const before = await sourceHash(database);
    await migrateDatabase({ database, actor, now: Date.now }, nextRelease(ours));
    const after = await sourceHash(database);
    assertNotEquals(after, before);
    const back = await runOperator(["migrate"], env);
    assertEquals(back.code, 1);
    assertStringIncludes(back.stderr, "versions do not go back");
    assertEquals((await sabika<unknown[]>("audit", "list")).length, 2);
    assertEquals(await sourceHash(database), after);
  });
});

test("`sabika migrate` refuses a database of the other environment", async () => {
  await withMigrated([ours], async (test) => {
    const { database } = test;
    const env = envOf(test);
    await adminOn(database, "production", Date.now);
    const release = nextRelease(ours);
    const run = await runOperator(["migrate", "--environment", "sandbox"], env);
    assertEquals(run.code, 1);
    assertStringIncludes(run.stderr, "belongs to production, not to sandbox");
    const actor = { who: "sandbox", from: "start" };
    const before = await sourceHash(database);
    let message = "";
    const foreign = { database, actor, now: Date.now, environment: "sandbox" as const };
    await migrateDatabase(foreign, release).catch((error: Error) => message = error.message);
    assertStringIncludes(message, "belongs to production");
    assertEquals(await sourceHash(database), before);
  });
});

test("the schema is migrated as the owner alone, whose URL no other command takes", async (t) => {
  const test = await openTestDatabase();
  const { database: { sql }, kind, urlAs } = test;
  t.after(() => test.close());
  if (kind === "pglite") return;
  await sql`update schema_versions set version = version - 1`;
  const env = { SABIKA_DATABASE_URL: urlAs("sabika_operator"), SABIKA_DATA: "/nowhere" };
  const refused = await runOperator(["migrate", "--yes", "--json"], env);
  assertEquals([refused.code, JSON.parse(refused.stderr).error.code], [1, "not_the_owner"]);
  const owner = { ...env, SABIKA_OWNER_DATABASE_URL: urlAs("sabika_owner") };
  const done = await runOperator(["migrate", "--yes"], owner);
  assertEquals(done.code, 0, done.stderr);
  const [user] = await sql<{ names: string }[]>`
      select string_agg(distinct tableowner, ' ') as names from pg_tables where schemaname = 'public'`;
  assertEquals(user!.names, "sabika_owner");
  const listed = await runOperator(["audit", "list"], { ...owner, SABIKA_DATABASE_URL: "" });
  assertEquals(listed.code, 1, listed.stdout);
});

test("bars that were counted by their gross weight count for their fine weight, with an entry each (D94)", async () => {
  const migrations = ours.migrations.filter(({ name }) =>
    ![
      "0011_fine_gold",
      "0019_pools",
      "0021_counts_of_pools",
      "0026_provenance",
      "0032_copies_and_deliveries",
    ]
      .includes(name)
  );
  const before = { ...lastRelease(ours), migrations };
  for (const environment of ["production", "sandbox"] as const) {
    await withMigrated([before], async (test) => {
      const { database: { sql } } = test;
      await adminOn(test.database, environment, Date.now);
      await sql`insert into vault_bars (serial, refiner, fineness_ten_thousandths, weight_micrograms, removed_at)
        values ('A', 'R', 9999, 1000000001, null), ('B', 'R', 9990, 500000000, null), ('C', 'R', 9999, 7, now())`;
      await sql`update vault set bars_micrograms = 1500000001, allocated_micrograms = 1500000001`;
      const missing = 100_001 + 500_000;
      if (environment === "production") {
        const refused = await runOperator(["migrate"], envOf(test));
        assertEquals(refused.code, 1);
        assertStringIncludes(
          refused.stderr,
          `${missing} micrograms of fine gold are missing: add a bar`,
        );
        const [kept] = await sql`select bars_micrograms::int as bars from vault`;
        assertEquals(kept, { bars: 1_500_000_001 });
        await sql`update vault set allocated_micrograms = allocated_micrograms - ${missing}::integer`;
      }
      // From 1.0.0 all steps come at once: the trigger's function has no body before the functions do.
      await sql`create or replace function note_row() returns trigger language plpgsql as 'begin end'`;
      const migrated = await runOperator(["migrate"], envOf(test));
      assertEquals(migrated.code, 0, migrated.stderr);
      const [vault] = await sql`select (bars_micrograms - allocated_micrograms)::int as free,
        (select sum(fine_micrograms)::int from vault_bars where removed_at is null) - bars_micrograms::int as apart
        from vault`;
      assertEquals(vault, { free: 0, apart: 0 });
      // And they are version 1 of the pool `main` (D102).
      const [version] =
        await sql`select v.number, v.kind, v.fine_micrograms = bars_micrograms as weighs,
        detail::jsonb->>'hash' = v.hash as entered, (select count(*)::int from pool_version_bars) as bars
        from pools join pool_versions v using (version_id), vault, audit_log where action = 'pool.convert'`;
      const bars = environment === "sandbox" ? 3 : 2;
      assertEquals(version, { number: 1, kind: "add", weighs: true, entered: true, bars });
      const entries = await sql<{ serial: string; fine: string }[]>`
        select detail::jsonb->>'serial' as serial, detail::jsonb->>'fineMicrograms' as fine
        from audit_log where action = 'vault.bar.convert' order by audit_id`;
      const simulated = environment === "sandbox" ? [["SIMULATED-FINE", `${missing}`]] : [];
      assertEquals(entries.map(({ serial, fine }) => [serial, fine]), [
        ["A", "999900000"],
        ["B", "499500000"],
        ...simulated,
      ]);
      const verified = await runOperator(["audit", "verify"], envOf(test));
      assertEquals(verified.code, 0, verified.stdout);
    });
  }
});
