import { cp, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openDatabase } from "./database.ts";
import { readDatabaseUrl } from "./database_url.ts";
import { findEmbedded, startEmbedded } from "./embedded.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";

const parent = temporaryFolder();
const kept = join(parent, "database");

test("the embedded database keeps its data, is found while it runs, and is opened once", async () => {
  const folder = kept;
  assertEquals(await findEmbedded(folder), undefined);
  // The remains of a first start that was killed while it created its files.
  await mkdir(join(folder, "cluster.unfinished"), { recursive: true });
  await writeFile(join(folder, "cluster.unfinished", "PG_VERSION"), "18\n");
  const first = await startEmbedded({ folder });
  assertEquals((await stat(folder)).mode & 0o777, 0o700);
  assertEquals(await findEmbedded(folder), first.url);
  await assertRejects(() => startEmbedded({ folder }), Error, `in use by process ${process.pid}`);
  const writer = openDatabase(first.url, { maxConnections: 2 });
  assertEquals(writer.kind, "pglite");
  await writer.sql.unsafe("create table kept (n integer); insert into kept values (7)");
  // While it stops nobody finds it, but a connected client finishes, over a second connection too.
  const ended = first.stop(60_000);
  while (await findEmbedded(folder) !== undefined);
  await Promise.all([writer.sql`select 1`, writer.sql`select 2`]);
  await assertRejects(() => startEmbedded({ folder }), Error, "in use by process");
  await writer.close();
  await ended;
  assertEquals(await findEmbedded(folder), undefined);
  assertEquals((await readdir(folder)).filter((name) => name.includes("cluster")), ["cluster"]);

  // A lock whose holder died is no obstacle: first with an id that no process has, then with our own,
  // since the first process of a restarted container has the same id again.
  for (const holder of [2 ** 22 + 1, process.pid]) {
    await writeFile(join(folder, "lock"), `${holder}\n`);
    const again = await startEmbedded({ folder });
    const reader = openDatabase(again.url);
    assertEquals(await reader.sql`select n from kept`.then((rows) => rows[0]?.n), 7);
    await reader.close();
    await again.stop();
  }
});

test("a path too long for a socket has one elsewhere; a connection that dies leaves nothing behind", async () => {
  const folder = join(parent, "deep".repeat(20), "database");
  await cp(join(kept, "cluster"), join(folder, "cluster"), { recursive: true });
  const embedded = await startEmbedded({ folder });
  assert(!embedded.url.includes("deepdeep"));
  assertEquals(await findEmbedded(folder), embedded.url);
  const database = openDatabase(embedded.url);
  await database.sql.unsafe("create table rows (n integer)");
  const { servers: [{ host, port }] } = readDatabaseUrl(embedded.url);
  const dying = connect(join(host, `.s.PGSQL.${port}`));
  const ready = () =>
    new Promise<void>((resolve) => {
      dying.on("data", function listen(data: Uint8Array) {
        // ReadyForQuery is the last message of an answer.
        if (data.at(-6) !== 0x5a) return;
        dying.off("data", listen);
        resolve();
      });
    });
  dying.write(message("", "\x00\x03\x00\x00user\x00postgres\x00\x00"));
  await ready();
  dying.write(message("Q", "begin; insert into rows values (1)\x00"));
  await ready();
  const waiting = database.sql`select n from rows`;
  void waiting.execute();
  dying.destroy();
  assertEquals((await waiting).length, 0);
  await database.close();
  await embedded.stop();
});

/** A message of PostgreSQL's protocol: its type, its length, its content. */
function message(type: string, content: string): Uint8Array {
  const bytes = new TextEncoder().encode(`${type}\0\0\0\0${content}`);
  new DataView(bytes.buffer).setUint32(type.length, bytes.length - type.length);
  return bytes;
}
