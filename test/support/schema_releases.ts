import type { Database } from "@sabika/database";
import { migrate, type SchemaRelease } from "@sabika/service/schema";
import { openTestDatabase, type TestDatabase } from "./test_database.ts";

/** Opens a database that these releases have migrated, one after the other; empty without releases. */
export async function withMigrated(
  releases: SchemaRelease[],
  body: (test: TestDatabase) => Promise<void>,
): Promise<void> {
  const test = await openTestDatabase();
  try {
    await test.database.sql.unsafe("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    for (const release of releases) await migrate(test.database, { release });
    await body(test);
  } finally {
    await test.close();
  }
}

/** A release as of another checkout: its functions differ from ours by a comment. */
function otherRelease(ours: SchemaRelease, more: Partial<SchemaRelease>): SchemaRelease {
  const functionsHash = `${more.version ?? ours.version}`.padStart(16, "f");
  const functions = ours.functions.replaceAll("\nBEGIN\n", `\nBEGIN -- ${functionsHash}\n`);
  return { ...ours, functions, functionsHash, ...more };
}

/** The release after ours, which still serves our programs. */
export function nextRelease(ours: SchemaRelease, more: Partial<SchemaRelease> = {}): SchemaRelease {
  return otherRelease(ours, {
    version: ours.version + 1,
    servesFrom: ours.version,
    migrations: [...ours.migrations, {
      name: "9000_next",
      statements: "ALTER TABLE quotes ADD COLUMN next text",
    }],
    ...more,
  });
}

/** The release before ours. */
export function lastRelease(ours: SchemaRelease): SchemaRelease {
  return otherRelease(ours, { version: ours.version - 1, servesFrom: ours.version - 1 });
}

/** The hash of all functions' source, as the database has them. */
export async function sourceHash({ sql }: Database): Promise<string> {
  const [row] = await sql<{ hash: string }[]>`
    select md5(string_agg(proname || prosrc, '' order by proname)) as hash
    from pg_proc where pronamespace = 'public'::regnamespace`;
  return row!.hash;
}
