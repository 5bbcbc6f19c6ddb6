import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "@sabika/database";
import {
  findExcessPrivileges,
  makeDatabaseRoles,
  migrate,
  verifySchema,
} from "@sabika/service/schema";
import { runPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import { random } from "../../../test/support/random.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { testRecord } from "../../../test/secret_search/record.ts";
import { EXPORTER_LOGIN } from "../services.ts";
import { CONTAINER_PLAN } from "../containers/container_plan.ts";
import { placeFiles } from "../places.ts";
import { prepareDatabase } from "./prepare_database.ts";

const folder = temporaryFolder();
const postgresql = await runPostgreSQL({ durable: false });
after(async () => {
  await postgresql.stop();
});

test("an administrator without superuser rights makes the roles, as in a managed database", async () => {
  const password = crypto.randomUUID();
  testRecord.secretsIn(password);
  const superuser = openDatabase(postgresql.socketUrl, { maxConnections: 1 });
  const login = `login password '${password}'`;
  await superuser.sql.unsafe(`create role administrator ${login} createrole createdb`);
  await superuser.sql.unsafe("create database managed owner administrator");
  await superuser.close();
  const open = (name: string) => {
    const url = postgresql.url.replace(/\/\/.*@/, `//${name}:${password}@`)
      .replace(/\/postgres$/, "/managed");
    return openDatabase(url, { maxConnections: 1 });
  };
  const administrator = open("administrator");
  await makeDatabaseRoles(administrator);
  await makeDatabaseRoles(administrator);
  await administrator.sql.unsafe(`create role managed_server ${login} in role sabika_app;
    create role managed_migration ${login} in role sabika_owner`);
  const [owner, server] = ["managed_migration", "managed_server"].map(open);
  await migrate(owner!);
  await verifySchema(server!);
  assertEquals(await findExcessPrivileges(server!), []);
  await server!.sql`select partner_id from partners`;
  await assertRejects(() => server!.sql`update accounts set cash_halalas = 0`, Error, "permission");
  for (const database of [administrator, owner!, server!]) await database.close();
});

test("prepareDatabase() hands tables over to the owner, and gives servers a login of few rights", async () => {
  const database = openDatabase(postgresql.socketUrl, { maxConnections: 1 });
  await migrate(database);
  const [secrets, administration, root, exporter] = [
    "secrets",
    "administration",
    "root",
    "exporter",
  ].map((name) => join(folder, name)) as [string, string, string, string];
  for (const path of [secrets, administration, root, exporter]) await mkdir(path);
  await writeFile(join(secrets, "database.url"), `${postgresql.url}\n`);
  const plan = {
    ...CONTAINER_PLAN,
    places: { ...CONTAINER_PLAN.places, secrets, administration, root, exporter },
  };
  const files = placeFiles(plan.places);
  const urls = () =>
    Promise.all(
      [
        files.serverDatabaseUrl,
        files.databaseUrl,
        files.ownerDatabaseUrl,
        files.breakGlassDatabaseUrl,
      ].map(
        async (file) => (await readFile(file, "utf8")).trim(),
      ),
    );
  const surroundings = { now: Date.now, random };

  await prepareDatabase(plan, postgresql.url, surroundings);
  const made = await urls();
  testRecord.secretsIn(...made);
  await prepareDatabase(plan, postgresql.url, surroundings);
  // Running servers keep their logins.
  assertEquals(await urls(), made);
  assertEquals(existsSync(join(secrets, "database.url")), false);

  const owners = await database.sql<{ owner: string }[]>`
    select distinct tableowner as owner from pg_tables where schemaname = 'public'`;
  assertEquals(owners.map(({ owner }) => owner), ["sabika_owner"]);
  const [server, operator, owner, emergency] = made.map((url) =>
    openDatabase(url, { maxConnections: 1 })
  );
  const [member] = await emergency!.sql`select pg_has_role('sabika_break_glass', 'USAGE') as glass,
    pg_has_role('sabika_owner', 'MEMBER') as owner`;
  assertEquals(member, { glass: true, owner: false });
  assertEquals(await findExcessPrivileges(server!), []);
  await assertRejects(() => server!.sql`create temp table mine (a integer)`, Error, "permission");
  await operator!.sql`select * from partners for update`;
  const password = await readFile(files.exporterPassword, "utf8");
  testRecord.secretsIn(password);
  const exporting = postgresql.url.replace(/\/\/.*@/, `//${EXPORTER_LOGIN}:${password}@`);
  const exporterLogin = openDatabase(exporting, { maxConnections: 1 });
  const [seen] = await exporterLogin.sql<{ others: boolean }[]>`
    select count(*) filter (where usename = 'sabika_server' and query <> '') > 0 as others
      from pg_stat_activity`;
  assertEquals(seen?.others, true, "it sees what others do");
  await assertRejects(() => exporterLogin.sql`select * from public.partners`, Error, "permission");
  for (const opened of [server!, operator!, owner!, emergency!, exporterLogin, database]) {
    await opened.close();
  }
});
