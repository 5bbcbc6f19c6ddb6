import { writeKit } from "@sabika/identity/keys";
import { admitPartner } from "@sabika/office/partners";
import { type Client, createClient, grams, openKit, riyals, SabikaError } from "@sabika/client";
import { openDatabase } from "@sabika/database";
import { openDeployment } from "@sabika/service/deployment";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { actAs } from "../../test/support/acts.ts";
import { surroundings } from "../../test/support/sandbox/surroundings.ts";
import { startTestSandbox } from "../../test/support/sandbox/test_sandbox.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { fileKeys } from "../../test/support/test_admin.ts";
import { makeSigningRequest } from "../../test/support/test_request.ts";
import { until } from "../../test/support/until.ts";
import { sandboxAdminContext } from "./demo_partner.ts";

// What partners notice of the operator's acts while a sandbox runs.

const folder = temporaryFolder();
const sandbox = await startTestSandbox(folder);
after(() => sandbox.stop());

/** Opens the sandbox's database for acts of the operator. */
async function openAdmin(t: TestContext) {
  const database = openDatabase(sandbox.databaseUrl, { maxConnections: 1 });
  t.after(() => database.close());
  const keys = fileKeys(await readFile(join(folder, "master.key"), "utf8"));
  const parts = { database, ...surroundings };
  const nowMs = Date.now();
  const deployment = await openDeployment({ ...parts, keys, environment: "sandbox", nowMs });
  return sandboxAdminContext({ ...parts, ...deployment });
}

test("a second partner, admitted while the sandbox runs, trades at once with its own gold", async (t) => {
  const admin = await openAdmin(t);
  const admitted = await admitPartner(admin, {
    clientId: "second-bank",
    name: "Second Bank",
    iban: "SA0380000000608010167519",
    webhookUrl: "https://127.0.0.1:9999/hooks",
    withKeys: true,
  });
  assert(admitted.ok, JSON.stringify(admitted));
  const kitFolder = join(sandbox.partnersFolder, "second-bank");
  await writeKit(kitFolder, sandbox.baseUrl, admitted.value.kit);
  assert((await actAs(admin, "vault.allocate", { partner: "second-bank", grams: "1000" })).ok);
  const client = createClient(await openKit(kitFolder));
  // The service finds the new partner within its polling interval.
  while (!(await client.health().then(() => true, () => false))) await new Promise(setImmediate);
  await client.fund({ amountHalalas: riyals("1000") });
  const quote = await client.quote({ side: "buy", goldMicrograms: grams("0.5") });
  const order = await client.order({ quoteId: quote.id });
  assertEquals(order.status, "executed");
  await client.close();
});

test("a client loses no call and no event while its certificate and key are replaced", async (t) => {
  const admin = await openAdmin(t);
  const kit = await openKit(sandbox.demo!.kitFolder);
  const client = createClient(kit);
  await client.fund({ amountHalalas: riyals("100000") });
  const orders: string[] = [];
  const placeOrders = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const quote = await client.quote({ side: "buy", goldMicrograms: grams("0.01") });
      orders.push((await client.order({ quoteId: quote.id })).id);
    }
  };
  const certificate = await makeSigningRequest("demo");
  const signing = await makeSigningRequest("demo");
  const overlap = { partner: "demo", overlap_ms: 60_000 };
  const issued = await actAs(admin, "certificate.rotate", { ...overlap, csr: certificate.csr });
  const added = await actAs(admin, "signing-key.rotate", { ...overlap, key: signing.csr });
  assert(issued.ok && added.ok);
  const renewed = await openKit({
    folder: kit.folder,
    certificatePem: issued.value.credential.pem,
    privateKeyPem: certificate.keyPem,
    signingKey: signing.keyPem,
    signingKeyId: added.value.credential,
  });
  const next = createClient(renewed);
  while (!(await next.probe().then(() => true, () => false))) await new Promise(setImmediate);
  await next.close();

  const received = new Set<string>();
  const ended = receive(client, received);
  const underWay = placeOrders(20);
  await client.reload(renewed);
  await Promise.all([underWay, placeOrders(20)]);
  await until(() => orders.every((id) => received.has(id)));
  assertEquals([orders.length, (await client.probe()).keyId], [40, renewed.signingKeyId]);
  await client.close();
  await assertRejects(() => ended, SabikaError, "closed");
});

/** Collects the ids of executed orders from the stream of events. */
async function receive(client: Client, orders: Set<string>) {
  for await (const { type, object } of client.streamEvents({ afterSequence: 0 })) {
    if (type === "order.executed") orders.add(object.id);
  }
}
