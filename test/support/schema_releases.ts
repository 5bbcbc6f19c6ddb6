import type { Database } from "@sabika/database";
import { migrate, type SchemaRelease } from "@sabika/service/schema";
import { openTestDatabase, type TestDatabase } from "./test_database.ts";

/** Opens a database and migrates it with each of these releases in turn; it has no tables without releases. */
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

/** Makes another release of the schema, whose functions differ from this one's by a comment. */
function otherRelease(ours: SchemaRelease, more: Partial<SchemaRelease>): SchemaRelease {
  const functionsHash = `${more.version ?? ours.version}`.padStart(16, "f");
  const functions = ours.functions.replaceAll("\nBEGIN\n", `\nBEGIN -- ${functionsHash}\n`);
  return { ...ours, functions, functionsHash, ...more };
}

/** Makes the next release, which still serves programs of this checkout. */
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

/** Makes the release before this checkout's. */
export function lastRelease(ours: SchemaRelease): SchemaRelease {
  return otherRelease(ours, { version: ours.version - 1, servesFrom: ours.version - 1 });
}

/** Returns a hash of the source of all functions in the database. */
export async function sourceHash({ sql }: Database): Promise<string> {
  const [row] = await sql<{ hash: string }[]>`
    select md5(string_agg(proname || prosrc, '' order by proname)) as hash
    from pg_proc where pronamespace = 'public'::regnamespace`;
  return row!.hash;
}
