import { after, test } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { createClient, type Kit, openKit } from "@sabika/client";
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
