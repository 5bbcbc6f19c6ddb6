import process from "node:process";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { openDatabase } from "./database.ts";
import { verifyAudit } from "../admin/audit_chain.ts";
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

test("entries that were written before the audit log was chained are chained as they stand", async () => {
  const server = openDatabase(process.env.TEST_DATABASE_URL!, { maxConnections: 1 });
  const name = `sabika_unchained_${crypto.randomUUID().slice(0, 8)}`;
  await server.sql.unsafe(`CREATE DATABASE ${name}`);
  const database = openDatabase(
    process.env.TEST_DATABASE_URL!.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`),
  );
  const { sql } = database;
  await sql`create table schema_migrations (
    name text primary key, applied_at timestamptz not null default now())`;
  for (const step of await readMigrations()) {
    if (step.name === "0005_audit_chain") break;
    await sql.unsafe(step.statements);
    await sql`insert into schema_migrations (name) values (${step.name})`;
  }
  // As an earlier release wrote them: refused acts left gaps in the numbers.
  for (const id of [1n, 2n, 5n, 6n]) {
    await sql`insert into audit_log (audit_id, actor, action, detail)
      values (${id}, 'operator', 'partner.update', '{"name":"مصرف"}')`;
  }
  await migrate(database);
  await sql`insert into audit_log (actor, action) values ('operator', 'after')`;
  const { entries, head, findings } = await verifyAudit(sql);
  assertEquals([entries, head.auditId, findings], [5, 7n, []]);
  await database.close();
  await server.sql.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  await server.close();
});
