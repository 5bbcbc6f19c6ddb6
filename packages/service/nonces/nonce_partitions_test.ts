import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { openTestDatabase } from "../../../test/support/test_database.ts";

const { database: { sql }, close } = await openTestDatabase();
after(close);

test("housekeeping makes partitions ahead, and drops past ones as a whole", async () => {
  const now = 1_800_000_000n;
  const numberFrom = async (statement: PromiseLike<{ n: number }[]>) => (await statement)[0]!.n;
  assertEquals(await numberFrom(sql`select make_nonce_partitions(${now}) as n`), 6);
  assertEquals(await numberFrom(sql`select make_nonce_partitions(${now}) as n`), 0);
  const start = now - now % 21_600n;
  assertEquals(await numberFrom(sql`select drop_nonce_partitions(${start}) as n`), 1);
  assertEquals(await numberFrom(sql`select drop_nonce_partitions(${start + 21_599n}) as n`), 0);
  assertEquals(await numberFrom(sql`select drop_nonce_partitions(${start + 21_600n}) as n`), 1);
});
