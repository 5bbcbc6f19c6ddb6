import { createClient, openKit } from "@sabika/client";
import { openDatabase } from "@sabika/database";
import { notify, setChoices } from "@sabika/service/notifications";
import { hasRootKey } from "@sabika/service/deployment";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { freePort } from "../../tools/programs/free_port.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { startSandbox } from "./mod.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { keepRootInDatabase } from "../../test/support/root_in_database.ts";
import { fileKeys } from "../../test/support/test_admin.ts";
import { prepareDataFolder } from "../../test/support/sandbox/prepared_folder.ts";
import { surroundings } from "../../test/support/sandbox/surroundings.ts";
import { startTestSandbox } from "../../test/support/sandbox/test_sandbox.ts";

const port = await freePort();
const sandbox = await startTestSandbox(temporaryFolder(), { port });
const kit = await openKit(sandbox.demo!.kitFolder);
after(() => sandbox.stop());

test("the operator's console is served beside the sandbox, with a link to enrol the first operator", async () => {
  const { url, enrolUrl } = sandbox.console;
  assert(
    new URL(url).port !== new URL(kit.webhookUrl!).port,
    "the partner's endpoint is left free",
  );
  assertMatch(enrolUrl!, /^http:\/\/localhost:\d+\/enrol#[\w-]{43}$/);
  const link = enrolUrl!.split("#")[1]!;
  testRecord.secret("link", link);
  const page = await fetch(url);
  assertEquals([page.status, new URL(page.url).pathname], [200, "/en/sign-in"]);
  assertStringIncludes(await page.text(), "data-passkey");
  const asked = await fetch(`${url}/admin/v1/enrolment/options`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ link }),
  });
  const { operator } = await asked.json() as { operator: string };
  assertEquals([asked.status, operator], [200, "operator"]);
});

test("mails to the operator's people are written to the data folder, and nobody's mail server", async (t) => {
  const database = openDatabase(sandbox.databaseUrl);
  t.after(() => database.close());
  const { sql } = database;
  const [{ id } = { id: 0 }] = await sql<{ id: number }[]>`
      select operator_id as id from operators where name = 'operator'`;
  const address = "operator@bank.example";
  await setChoices(sql, id, { address, language: "ar", kinds: { price_stale: "mail" } });
  const arrived = new Promise<string>((resolve) => {
    sandbox.console.onMail = (_mail, file) => resolve(file);
  });
  await notify(sql, { kind: "price_stale", subject: "of a test", facts: {} }, {
    operatorId: id,
  }, { lasts: false });
  const text = await readFile(await arrived, "utf8");
  for (const says of [`To: ${address}`, "لا سعر معروض الآن", `${sandbox.console.url}/ar/prices`]) {
    assertStringIncludes(text, says);
  }
});

test("a second sandbox has its own partner, whose kit the first sandbox refuses", async (t) => {
  const other = await startTestSandbox();
  t.after(() => other.stop());
  assert(other.baseUrl !== sandbox.baseUrl);
  const otherKit = await openKit(other.demo!.kitFolder);
  const client = createClient(otherKit);
  assertEquals((await client.health()).status, "ok");
  await client.close();
  const astray = createClient({ ...otherKit, baseUrl: sandbox.baseUrl, caPem: kit.caPem });
  const refused = await astray.health().then(() => false, () => true);
  assert(refused, "a certificate of another authority was accepted");
  await astray.close();
});

test("the root key in a data folder of 1.0.0 moves from the database to its own file", async () => {
  const dataFolder = temporaryFolder();
  const options = { dataFolder, port: 0, demo: false };
  const rootKey = join(dataFolder, "root.key");
  await prepareDataFolder(dataFolder);
  const first = await startSandbox(options, surroundings);
  const text = await readFile(rootKey, "utf8");
  const database = openDatabase(first.databaseUrl, { maxConnections: 1 });
  try {
    const keys = fileKeys(await readFile(join(dataFolder, "master.key"), "utf8"));
    const secrets = { ...keys, hashClientSecret: () => Promise.reject() };
    await keepRootInDatabase({ database, secrets }, text);
    await rm(rootKey);
  } finally {
    await database.close();
    await first.stop();
  }
  const again = await startSandbox(options, surroundings);
  const after = openDatabase(again.databaseUrl, { maxConnections: 1 });
  try {
    assertEquals(await readFile(rootKey, "utf8"), text);
    assertEquals((await stat(rootKey)).mode & 0o777, 0o600);
    assertEquals(await hasRootKey(after), false);
  } finally {
    await after.close();
    await again.stop();
    testRecord.dataFolder(dataFolder);
  }
});
