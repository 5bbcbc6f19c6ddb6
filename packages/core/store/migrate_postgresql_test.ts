import process from "node:process";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { openDatabase } from "./database.ts";
import { migrate, readMigrations } from "./migrate.ts";

test("two instances migrate an empty database at once: one does it, the other waits (F24)", async () => {
  const server = openDatabase(process.env.TEST_DATABASE_URL!, { maxConnections: 1 });
  const name = `sabika_empty_${crypto.randomUUID().slice(0, 8)}`;
  await server.sql.unsafe(`CREATE DATABASE ${name}`);
  const url = process.env.TEST_DATABASE_URL!.replace(
    /^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/,
    `$1${name}`,
  );
  const instances = [openDatabase(url), openDatabase(url)];
  const applied = await Promise.all(instances.map((one) => migrate(one)));
  const count = (await readMigrations()).length + 1;
  assertEquals(applied.map((one) => one.length).sort((a, b) => a - b), [0, count]);
  // A function that was changed by hand stays until ours change; ours changed means a new hash.
  const { sql } = instances[0]!;
  await sql`update schema_migrations set name = 'functions old' where name like 'functions %'`;
  const again = await Promise.all(instances.map((one) => migrate(one)));
  assertEquals(again.map((one) => one.length).sort(), [0, 1]);
  await Promise.all(instances.map((one) => one.close()));
  await server.sql.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  await server.close();
});
