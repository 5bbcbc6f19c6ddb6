import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { freePort } from "../../tools/programs/free_port.ts";
import { awaitDatabase } from "./await_database.ts";
import { createOpened } from "./opened.ts";

test("a database that does not answer is asked again until the service is stopped", async () => {
  const port = await freePort();
  const database = openDatabase(`postgres://nobody@127.0.0.1:${port}/none`, { maxConnections: 1 });
  const opened = createOpened();
  const logged: (string | undefined)[] = [];
  let askedTwice = () => {};
  const twice = new Promise<void>((resolve) => askedTwice = resolve);
  const waiting = awaitDatabase(database, (level, event, fields) => {
    logged.push(`${level} ${event} ${fields?.reason}`);
    if (logged.length === 2) askedTwice();
  }, opened);
  await twice;
  await opened.close();
  const error = await assertRejects(() => waiting);
  assert(error instanceof Error);
  assertEquals(error.message, "stopped while waiting for the database");
  assertEquals(new Set(logged), new Set(["warning database_away ECONNREFUSED"]));
  await database.close();
});
