import { after, test } from "node:test";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { createClient, type Kit, openKit, SabikaError } from "@sabika/client";
import { openDatabase } from "@sabika/database";
import { importPrivatePem } from "@sabika/protocol";
import { makeSigningRequest } from "../../test/support/test_request.ts";
import { startTestSandbox } from "../../test/support/sandbox/test_sandbox.ts";

const sandbox = await startTestSandbox();
after(() => sandbox.stop());

test("a newcomer changes certificate and signing key alone: the sandbox issues at once", async (t) => {
  const open = (kit: Kit) => {
    const client = createClient(kit);
    t.after(() => client.close());
    return client;
  };
  const old = await openKit(sandbox.demo!.kitFolder);
  const before = open(old);
  const [tls, signing] = [await makeSigningRequest("demo"), await makeSigningRequest("demo")];
  const { id } = await before.requestCertificate({ csr: tls.csr });
  const { status, certificate } = await before.getRequestedCredential(id);
  assertEquals(status, "issued");
  assertEquals(certificate!.match(/BEGIN CERTIFICATE/g)?.length, 2);
  const renewed = { ...old, certificatePem: certificate!, privateKeyPem: tls.keyPem };

  const { keyId, id: next } = await open(renewed).requestSigningKey({ csr: signing.csr });
  const key = await importPrivatePem(signing.keyPem);
  if (!key.ok) throw new Error(key.code);
  const changed = open({ ...renewed, signingKeyId: keyId, signingKey: key.key });
  const probes = [await before.probe(), await changed.probe()];
  assertEquals(probes.map((probe) => probe.keyId), [old.signingKeyId, keyId]);
  const listed = await changed.listRequestedCredentials({ status: "issued" });
  assertEquals(listed.data.map((requested) => requested.id), [next, id]);
  assertStringIncludes(JSON.stringify(listed.data[0]), '"replaced_ends_at":"');
});

test("a request that was kept without an answer is issued when it is repeated", async (t) => {
  const client = createClient(await openKit(sandbox.demo!.kitFolder), { retry: { attempts: 1 } });
  const database = openDatabase(sandbox.databaseUrl, { maxConnections: 1 });
  t.after(async () => {
    await client.close();
    await database.close();
  });
  const { csr } = await makeSigningRequest("demo");
  const idempotencyKey = crypto.randomUUID();
  const ask = () => client.requestCertificate({ csr }, { idempotencyKey });
  await database.sql`alter function keep_key rename to keep_key_away`;
  assertEquals((await assertRejects(ask, SabikaError)).code, "outcome_unknown");
  await database.sql`alter function keep_key_away rename to keep_key`;
  const { id } = await ask();
  assertEquals((await client.getRequestedCredential(id)).status, "issued");
});
