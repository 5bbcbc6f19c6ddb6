import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type SQL, sql } from "drizzle-orm";
import { drizzle } from "@sabika/database";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { endOf, notAfterNow } from "./operator_clock.ts";

const { database, close } = await openTestDatabase();
after(close);

async function momentOf(moment: SQL): Promise<number> {
  const [row] = await drizzle(database.sql).execute<{ ms: number }>(
    sql`select round(extract(epoch from ${moment}) * 1000)::float8 as ms`,
  );
  return row!.ms;
}

test("what ends now ends by the database's clock where the operator's is fast, and an overlap by the operator's", async () => {
  const nowMs = Date.now();
  const fastMs = nowMs + 3_600_000;
  for (const now of [notAfterNow(fastMs), endOf(fastMs, 0)]) {
    assert(await momentOf(now) < nowMs + 600_000);
  }
  assertEquals(await momentOf(notAfterNow(nowMs - 60_000)), nowMs - 60_000);
  assertEquals(await momentOf(endOf(fastMs, 1)), fastMs + 1);
});
