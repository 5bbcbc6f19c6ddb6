import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { openDatabase } from "./database.ts";

test("a statement is cancelled at its pool's time limit, and the connection stays usable", async () => {
  const { url, close } = await openTestDatabase();
  const hasty = openDatabase(url, { maxConnections: 1, statementTimeoutMs: 100 });
  try {
    await assertRejects(async () => await hasty.sql`select pg_sleep(60)`, Error, "timeout");
    assertEquals([...await hasty.sql`select 1 as one`], [{ one: 1 }]);
  } finally {
    await hasty.close();
    await close();
  }
});
