import { join } from "node:path";
import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openDatabase, readDatabaseUrl } from "@sabika/database";
import { copyToCell } from "@sabika/service/cells";
import { DeploymentError, openDeployment } from "@sabika/service/deployment";
import { guardBalances } from "@sabika/service/ledger";
import { setFixedPrice } from "../../test/support/fixed_price.ts";
import { operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { random } from "../../test/support/random.ts";
import { fileKeys, openTestAdmin } from "../../test/support/test_admin.ts";
import {
  copyFromControl,
  endCopies,
  operatorWithCells,
  runReplicating,
} from "../../test/support/test_cells.ts";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { until } from "../../test/support/until.ts";
import { commandLine } from "../../tools/programs/command_line.ts";

// (D53) Control and a cell, two databases of a PostgreSQL that may replicate; added as docs/scale.md says.

const server = await runReplicating();
const admin = await openTestAdmin("sandbox", { server: server.url });
const { testDatabase: control, masterKeyText } = admin;
const cell = await openTestDatabase({ server: server.url });
const folder = temporaryFolder();
after(async () => {
  await endCopies(cell);
  await cell.close();
  await admin.close();
  await server.stop();
});

const { envOf: operatorEnv, refusalOf } = operatorWithCells({
  file: join(folder, "cells"),
  control,
  masterKeyText,
});
const asOperator = cell.urlAs("sabika_operator");

test("a database is added as a cell once it has its copies, and under one name only", async () => {
  assertStringIncludes(await refusalOf({}, "cell", "add", "b"), 'no line for "b"');
  assertStringIncludes(
    await refusalOf({ b: asOperator }, "cell", "add", "b"),
    "no copies of partners, cells, acts, moves and price settings yet",
  );
  assertStringIncludes(
    await refusalOf({ b: control.urlAs("sabika_operator") }, "cell", "add", "b"),
    'is the cell "main"',
  );

  await copyFromControl({ server, control, cell });
  const sabika = operatorOf(await operatorEnv({ b: asOperator, c: asOperator }));

  assertEquals(await sabika("cell", "add", "b"), { cell: "b", added: true });
  const listed = await sabika<{ cell: string; partners: number; trouble: string | null }[]>(
    ...commandLine`cell list`,
  );
  assertEquals(
    listed.map(({ cell, partners, trouble }) => ({ cell, partners, trouble })),
    [{ cell: "main", partners: 0, trouble: null }, { cell: "b", partners: 0, trouble: null }],
  );
  const [entry] = await sabika<{ action: string; detail: unknown }[]>("audit", "list");
  assertEquals(entry!.action, "cell.add");

  const both = { b: asOperator, c: asOperator };
  assertStringIncludes(await refusalOf(both, "cell", "add", "b"), "already");
  assertStringIncludes(await refusalOf(both, "cell", "add", "c"), 'is the cell "b"');
  assertEquals((await sabika<unknown[]>("cell", "list")).length, 2);
});

test("a cell has copies of what its functions read of partners, and accounts of its own", async () => {
  const [partner] = await control.database.sql<{ id: number }[]>`
    insert into partners (client_id, name, settlement_iban, cell_id, vat_ppm, open_quotes_limit)
    values ('of-b', 'Of B', 'SA0380000000608010167519', 'b', 7, 9) returning partner_id as id`;
  const rows = async () =>
    await cell.database.sql`select settlement_iban, vat_ppm::int, open_quotes_limit, cell_id,
      l.partner_id as lane
      from partners p join accounts a using (partner_id) join webhook_lanes l using (partner_id)
      where p.partner_id = ${partner!.id}`;
  await until(async () => (await rows()).length === 1);
  assertEquals({ ...(await rows())[0] }, {
    settlement_iban: "SA0380000000608010167519",
    vat_ppm: 7,
    open_quotes_limit: 100,
    cell_id: "b",
    lane: partner!.id,
  });
  await control.database.sql`update partners set settlement_iban = 'SA4420000001234567891234'
    where partner_id = ${partner!.id}`;
  await until(async () => (await rows())[0]!["settlement_iban"] === "SA4420000001234567891234");

  const [count] = await cell.database.sql<{ partners: number; accounts: number }[]>`
    select (select count(*)::int from partners) as partners,
      (select count(*)::int from accounts) as accounts`;
  assertEquals({ ...count }, { partners: 1, accounts: 1 });

  await cell.database.sql`update accounts set cash_halalas = 1, bank_halalas = -1
    where partner_id = ${partner!.id}`;
  const guard = { database: cell.app, control: control.app, everySeconds: 0 };
  const [alarm, ...others] = (await guardBalances(guard))!;
  assertEquals([alarm!.clientId, alarm!.isStopped, others.length], ["of-b", true, 0]);
  const [stopped] = await control.database.sql`
    select status from partners where partner_id = ${partner!.id}`;
  assertEquals(stopped!["status"], "suspended");
  const wrongPlace = await cell.app.sql`select suspend_for_balances(${partner!.id}, '{}')`
    .catch((error: Error) => error.message);
  assertEquals(wrongPlace, "partners are suspended in control");
  await cell.database.sql`update accounts set cash_halalas = 0, bank_halalas = 0
    where partner_id = ${partner!.id}`;

  const opened = await control.database.sql`select open_accounts(${partner!.id})`
    .catch((error: Error) => error.message);
  assertEquals(opened, `partner ${partner!.id} is not of this cell`);
});

test("what cells of an earlier release did not copy arrives when the copies are made again", async () => {
  const { sql } = control.database;
  await sql.unsafe(
    `alter publication sabika_cells set table cells, partners (partner_id, client_id, name,
    status, settlement_iban, webhook_url, cell_id)`,
  );
  await cell.database.sql`alter subscription sabika_partners refresh publication`;
  await sql`update partners set spread_ppm = 777`;
  await setFixedPrice(control.database, 4_100_000n);
  const { database } = readDatabaseUrl(control.url);
  await copyToCell({
    ...{ cellId: "b", control: sql, database, cell: cell.database.sql },
    connection:
      `host=${server.socketFolder} port=${server.port} user=sabika_copies dbname=${database}`,
  });
  await until(async () => {
    const [row] = await cell.database.sql<{ spread: number; mid: string }[]>`
      select spread_ppm::int as spread, configuration->>'mid' as mid from partners, price_settings`;
    return row?.spread === 777 && row.mid === "410";
  });
});

test("control's tables cannot be written in a cell, by a role or by its functions", async () => {
  const operator = openDatabase(asOperator, { maxConnections: 1 });
  const refused = await Promise.all([
    operator.sql`insert into partners (client_id, name, settlement_iban) values ('x', 'X', 'y')`,
    operator.sql`update vault set bars_micrograms = 1`,
    cell.app.sql`select revoke_token(1, gen_random_uuid(), now())`,
  ].map((statement) => statement.then(() => "done", (error: Error) => error.message)));
  await operator.close();
  assertEquals(
    refused,
    ["partners", "vault", "register_state"].map((table) => `${table} is written in control`),
  );
});

test("a cell's database begins no deployment, and refuses commands that are for control", async () => {
  const env = { ...await operatorEnv({}), SABIKA_DATABASE_URL: asOperator };
  const { code, stderr } = await runOperator(["operator", "add", "amal"], env);
  assertEquals(code, 1);
  assertStringIncludes(stderr, 'the cell "b" of a deployment: give control\'s URL');
  const refused = await openDeployment({
    database: cell.database,
    keys: fileKeys(masterKeyText),
    environment: "sandbox",
    nowMs: Date.now(),
    random,
  }).catch((error: Error) => error);
  assert(refused instanceof DeploymentError);
  assertStringIncludes(refused.message, "give control's URL");
});
