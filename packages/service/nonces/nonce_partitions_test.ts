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

test("no retention that is asked for frees a nonce whose request could still be accepted", async () => {
  const start = 1_900_000_800n - 1_900_000_800n % 21_600n;
  await sql`select ensure_nonce_partition(${start - 1n}), ensure_nonce_partition(${start})`;
  const [row] = await sql<{ text: string }[]>`
    select pg_get_functiondef('maintain_nonce_partitions'::regproc) as text`;
  const maintainAt = async (second: bigint, retention: bigint): Promise<string[]> => {
    await sql.unsafe(row!.text.replace("clock_timestamp()", `to_timestamp(${second})`));
    await sql`select maintain_nonce_partitions(${retention})`;
    const kept = await sql<{ name: string }[]>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'nonces'::regclass`;
    return kept.map(({ name }) => name).filter((name) => name < `nonces_${start}`);
  };
  const before = `nonces_${start - 21_600n}`;
  assertEquals(await maintainAt(start + 959n, 0n), [before]);
  assertEquals(await maintainAt(start + 1_199n, 1_200n), [before]);
  assertEquals(await maintainAt(start + 1_200n, 1_200n), []);
});
