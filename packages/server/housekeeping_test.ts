import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { random } from "../../test/support/test_admin.ts";
import { housekeepingJobs } from "./housekeeping.ts";

test("an instance whose clock is days ahead frees no nonce that could be replayed", async () => {
  const { database, close } = await openTestDatabase();
  const jobs = housekeepingJobs({
    database,
    now: () => Date.now() + 3 * 86_400_000,
    random,
    nonceRetentionSeconds: 86_400,
    onDatabaseState: () => {},
    checkingDatabase: database,
    onWrongBalances: () => {},
  });
  const partitions = async () => {
    const rows = await database.sql<{ name: string }[]>`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'nonces'::regclass order by 1`;
    return rows.map(({ name }) => name);
  };
  const nowSeconds = Math.floor(Date.now() / 1000);
  await database.sql`select make_nonce_partitions(${nowSeconds}::bigint)`;
  const before = await partitions();
  await jobs.find(({ name }) => name === "nonce_partitions")!.run();
  assertEquals(await partitions(), before);
  await close();
});
