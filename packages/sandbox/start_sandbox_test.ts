import { createClient, grams, openKit, riyals } from "@sabika/client";
import { openDatabase } from "@sabika/database";
import { notify, setChoices } from "@sabika/service/notifications";
import { hasRootKey } from "@sabika/service/deployment";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, rm, stat } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { after, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { freePort } from "../../tools/programs/free_port.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { openEventReceiver, startSandbox } from "./mod.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { keepRootInDatabase } from "../../test/support/root_in_database.ts";
import { fileKeys } from "../../test/support/test_admin.ts";
import { prepareDataFolder } from "../../test/support/sandbox/prepared_folder.ts";
import { surroundings } from "../../test/support/sandbox/surroundings.ts";
import { startTestSandbox } from "../../test/support/sandbox/test_sandbox.ts";

const folder = temporaryFolder();
const port = await freePort();
const sandbox = await startTestSandbox(join(folder, "one"), { port });
const kit = await openKit(sandbox.demo!.kitFolder);
after(async () => {
  await sandbox.stop();
  testRecord.dataFolder(folder);
});

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

/** Sends a request with the kit's certificate, without the SDK. */
function call(
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(kit.baseUrl + path, {
      method: "POST",
      ca: kit.caPem,
      cert: kit.certificatePem,
      key: kit.privateKeyPem,
      headers,
      agent: false,
    }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (part: string) => (text += part));
      incoming.on("end", () => resolve({ status: incoming.statusCode!, text }));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

async function fetchToken(): Promise<string> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: kit.clientId,
    client_secret: kit.clientSecret,
  });
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const { status, text } = await call("/oauth/token", type, form.toString());
  assertEquals(status, 200, text);
  return JSON.parse(text).access_token;
}

function openssl(args: string[], input: string | Uint8Array = ""): Uint8Array {
  const { status, stdout, stderr } = spawnSync("openssl", args, { input });
  assertEquals(status, 0, String(stderr));
  return new Uint8Array(stdout);
}

// Before other orders: an event without a receiver is retried ever later, and later events wait for it.
test("the delivered webhook verifies with the standardwebhooks package", async (t) => {
  const receiver = (await openEventReceiver(kit, Date.now))!;
  const client = createClient(kit);
  t.after(async () => {
    await client.close();
    await receiver.close();
  });
  await client.fund({ amountHalalas: riyals("5000") });
  const quote = await client.quote({ side: "buy", goldMicrograms: grams("1") });
  const order = await client.order({ quoteId: quote.id });
  const delivery = await receiver.waitFor(
    (event) => event.type === "order.executed" && event.object.id === order.id,
    30_000,
  );
  assert(delivery !== undefined, "no webhook arrived");
  const verified = new Webhook(kit.webhookSecret!).verify(delivery.body, delivery.headers);
  assertEquals((verified as { type: string }).type, "order.executed");
});

test("the token's cnf is the certificate's hash as openssl computes it", async () => {
  const [, claims] = (await fetchToken()).split(".");
  const der = openssl(["x509", "-in", join(kit.folder, "client.crt"), "-outform", "DER"]);
  const thumbprint = createHash("sha256").update(der).digest("base64url");
  const { cnf, sub } = JSON.parse(Buffer.from(claims!, "base64url").toString());
  assertEquals(cnf["x5t#S256"], thumbprint);
  assertEquals(sub, "demo");
});

test("an order that openssl signed is accepted", async () => {
  const client = createClient(kit);
  await client.fund({ amountHalalas: riyals("5000") });
  const quote = await client.quote({ side: "buy", goldMicrograms: grams("2") });
  await client.close();
  const body = JSON.stringify({ quote_id: quote.id });
  const [timestamp, nonce] = [String(Math.floor(Date.now() / 1000)), "openssl-nonce-0001"];
  const hash = new TextDecoder().decode(openssl(["dgst", "-sha256", "-r"], body)).split(" ")[0]!;
  const header = Buffer.from('{"alg":"ES256","b64":false,"crit":["b64"]}').toString("base64url");
  const canonical = ["POST", `${kit.baseUrl}/v1/orders`, hash, timestamp, nonce].join("\n");
  const der = openssl(
    ["dgst", "-sha256", "-sign", join(kit.folder, "signing.key")],
    `${header}.${canonical}`,
  );
  const listing = new TextDecoder().decode(openssl(["asn1parse", "-inform", "DER"], der));
  const [r, s] = [...listing.matchAll(/INTEGER\s+:([0-9A-F]+)/g)].map(([, hex]) => hex!);
  const raw = Buffer.from(r!.padStart(64, "0") + s!.padStart(64, "0"), "hex");
  const { status, text } = await call("/v1/orders", {
    "content-type": "application/json",
    authorization: `Bearer ${await fetchToken()}`,
    "idempotency-key": "signed-by-openssl",
    "x-timestamp": timestamp,
    "x-nonce": nonce,
    "x-jws-signature": `${header}..${raw.toString("base64url")}`,
  }, body);
  assertEquals(status, 201, text);
  assertEquals(JSON.parse(text).status, "executed");
});

test("a second sandbox has its own partner, whose kit the first sandbox refuses", async (t) => {
  const other = await startTestSandbox(join(folder, "two"));
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
  const dataFolder = join(folder, "old");
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
  }
});
