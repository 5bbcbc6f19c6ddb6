/** A primary and its standby, two real clusters: each connection goes to the one that takes writes (D53). */
import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { PRIMARY_SETTINGS, runStandby } from "../../test/support/standby.ts";
import { until } from "../../test/support/until.ts";
import { runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { type Database, openDatabase } from "./database.ts";
import { classifyFailure } from "./failure.ts";
import type { Sql } from "./sql.ts";

const primary = await runPostgreSQL({ durable: false, settings: PRIMARY_SETTINGS });
// Control has such a slot for each cell, and a standby must be possible beside it.
const { sql, close } = openDatabase(primary.socketUrl, { maxConnections: 1 });
await sql`select pg_create_physical_replication_slot('a_cell')`;
await close();
const standby = await runStandby(primary, { durable: false });
const followed = openDatabase(standby.followed(primary.url), { maxConnections: 3 });
after(async () => {
  await followed?.close();
  await standby?.close();
  await primary?.stop();
});

const portOf = async (sql: Sql) => {
  const [row] = await sql<{ port: number }[]>`select inet_server_port() as port`;
  return row!.port;
};

test("a session that follows the primary ends when its server stops taking writes", async () => {
  const pid = async ({ sql }: Database) => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row!.pid;
  };
  const alone = openDatabase(primary.url, { maxConnections: 1 });
  const followedAlone = openDatabase(standby.followed(primary.url), { maxConnections: 1 });
  try {
    for (const database of [alone, followedAlone]) {
      const before = await pid(database);
      await database.sql`set default_transaction_read_only = on`;
      const error = await assertRejects(() => database.sql`create table never ()`.execute());
      assertEquals(classifyFailure(error), "away");
      assertEquals(await pid(database) === before, database === alone);
    }
  } finally {
    await alone.close();
    await followedAlone.close();
  }
});

test("a commit whose wait for the standby was cancelled is answered as unknown, not as done", async () => {
  const alone = openDatabase(primary.url, { maxConnections: 1 });
  const other = openDatabase(primary.url, { maxConnections: 1 });
  try {
    await alone.sql`create table waiting (n integer)`;
    await standby.postgresql.kill();
    // Its receiver notices the postmaster's end a moment later, and acknowledges until then.
    await until(async () => (await other.sql`select from pg_stat_replication`).length === 0);
    const writes = [
      () => alone.sql`insert into waiting values (1)`.execute(),
      () => alone.sql.begin((sql) => sql`insert into waiting values (2)`),
    ];
    for (const write of writes) {
      const cancelled = until(async () =>
        (await other.sql`select pg_cancel_backend(pid) from pg_stat_activity
          where wait_event = 'SyncRep'`).length > 0
      );
      const [error] = await Promise.all([assertRejects(write), cancelled]);
      assertEquals(classifyFailure(error), "lost");
    }
    await standby.postgresql.restart();
    await alone.sql`insert into waiting values (3)`;
    const rows = await alone.sql<{ n: number }[]>`select n from waiting order by n`;
    assertEquals(rows.map(({ n }) => n), [1, 2, 3]);
  } finally {
    await alone.close();
    await other.close();
  }
});

test("when the primary dies and the standby is promoted, the next statements go there (F85)", async () => {
  const { sql } = followed;
  await sql`create table kept (n integer)`;
  await sql`insert into kept values (1)`;
  await primary.kill();
  const failures = new Set<string>();
  const insert = (n: number) =>
    sql`insert into kept values (${n})`.then(() => true, (error) => {
      failures.add(classifyFailure(error));
      return false;
    });
  for (let count = 0; count < 5; count++) assertEquals(await insert(2), false);
  await standby.promote();
  while (!await insert(3));
  assertEquals(await portOf(sql), standby.postgresql.port);
  const rows = await sql<{ n: number }[]>`select n from kept order by n`;
  assertEquals(rows.map(({ n }) => n), [1, 3]);
  assert([...failures].every((failure) => failure === "away" || failure === "lost"));

  // The old primary comes back, unaware of the promotion.
  await primary.restart();
  const late = openDatabase(standby.followed(primary.url), { maxConnections: 1 });
  assertEquals(await portOf(late.sql), standby.postgresql.port);
  await late.close();
});
