/** I6: what a crash may do to the files of a database is found. */
import { after, before, test } from "node:test";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { assert, assertEquals } from "@std/assert";
import { type Database, openDatabase } from "@sabika/database";
import { type RunningPostgreSQL, runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { findCorruption } from "./corruption.ts";

const PAGE = 8_192;
let postgresql: RunningPostgreSQL;
let database: Database;
before(async () => {
  postgresql = await runPostgreSQL({ durable: true });
  database = openDatabase(postgresql.socketUrl, { maxConnections: 1 });
});
after(async () => {
  await database?.close();
  await postgresql?.stop();
});

const find = async () =>
  (await findCorruption([{ name: "main", database }])).map(({ what }) => what);
const run = (statement: string) => database.sql.unsafe<{ path: string }[]>(statement);

test("an index without a row of its table, and a page with wrong bytes, are found", async () => {
  await run(
    "create table rows_of_old as select id, repeat('x', 500) as more from generate_series(1, 500) id",
  );
  await run("create unique index rows_by_id on rows_of_old (id)");
  assertEquals(await find(), []);
  // The index is told that it is whole, as after a write that was lost.
  await run("update pg_index set indisready = false where indexrelid = 'rows_by_id'::regclass");
  await run("insert into rows_of_old values (501, 'new')");
  await run("update pg_index set indisready = true where indexrelid = 'rows_by_id'::regclass");
  const [lost] = await find();
  assert(lost?.startsWith("database of main: rows_by_id: heap tuple"), lost);

  const [file] = await run("select pg_relation_filepath('rows_of_old') as path");
  await run("checkpoint");
  await postgresql.kill();
  const data = await open(join(postgresql.dataFolder, file!.path), "r+");
  await data.write("damaged", PAGE + 4_000);
  await data.close();
  await postgresql.restart();
  const damaged = await find();
  assert(
    damaged.some((what) => what.includes("rows_of_old: invalid page in block 1")),
    damaged.join(),
  );
  assert(damaged.some((what) => what.endsWith("pages have a wrong checksum")), damaged.join());
});
