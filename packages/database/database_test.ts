import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { eq } from "drizzle-orm";
import { partners } from "@sabika/service/partners";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { openDatabase } from "./database.ts";
import { drizzle } from "./drizzle.ts";
import { durability } from "./durability.ts";

const { database, url, kind, close } = await openTestDatabase();
after(close);

test("sessions use READ COMMITTED even when the database's default is another", async () => {
  const [{ name }] = await database.sql<[{ name: string }]>`select current_database() as name`;
  const set = (to: string) =>
    database.sql`alter database ${database.sql(name)}
      set default_transaction_isolation = ${database.sql.unsafe(to)}`;
  await set("'serializable'");
  const other = openDatabase(url, { maxConnections: 1 });
  const [row] = await other.sql`select current_setting('transaction_isolation') as level`;
  await other.close();
  await set("default");
  assertEquals(row!.level, "read committed");
});

test("drizzle() reads and writes bigints, moments and JSON", async () => {
  const [row] = await drizzle(database.sql).insert(partners).values({
    clientId: "bank",
    name: "Bank",
    settlementIban: "SA0380000000608010167519",
    createdAt: 1_700_000_000_123,
    rateLimits: { read: { perSecond: 1.5, burst: 2 } },
    revision: 7n,
  }).returning();
  assertEquals(row?.createdAt, 1_700_000_000_123);
  assertEquals(row?.revision, 7n);
  assertEquals(row?.quoteMaxMicrograms, 10_000_000_000n);
  assertEquals(row?.rateLimits, { read: { perSecond: 1.5, burst: 2 } });
});

test("drizzle() takes part in the transaction of its connection", async () => {
  const where = eq(partners.clientId, "bank");
  await assertRejects(
    () =>
      database.sql.begin(async (sql) => {
        await drizzle(sql).update(partners).set({ name: "Another" }).where(where);
        throw new Error("rolled back");
      }),
    Error,
    "rolled back",
  );
  const [row] = await drizzle(database.sql).select().from(partners).where(where);
  assertEquals(row?.name, "Bank");
});

test("an error of drizzle() is the driver's own and quotes no parameter", async () => {
  const error = await assertRejects(() =>
    drizzle(database.sql).insert(partners).values({
      clientId: "bank",
      name: "Secret name",
      settlementIban: "",
    })
  );
  assertEquals((error as { code?: string }).code, "23505");
  assertEquals(String(error).includes("Secret name"), false);
});

test("durability() reports the settings, and never reports fsync for the embedded database", async () => {
  const found = await durability(database);
  const [set] = await database.sql<{ fsync: string; commit: string }[]>`
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`;
  assertEquals(found.fsync, kind === "postgresql" && set?.fsync === "on");
  assertEquals(found.synchronousCommit, set?.commit !== "off");
  const careless = openDatabase(url, { maxConnections: 1 });
  try {
    await careless.sql`set synchronous_commit = off`;
    if (kind === "postgresql") assertEquals((await durability(careless)).synchronousCommit, false);
  } finally {
    await careless.sql`reset synchronous_commit`;
    await careless.close();
  }
});
