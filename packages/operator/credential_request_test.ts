import { after, test } from "node:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { revokeCertificate } from "@sabika/office/partners";
import { encodeHex, importPrivatePem, type RequestedCredential } from "@sabika/protocol";
import { ROLES } from "@sabika/terms";
import { envAtDatabase, operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { openServiceClient } from "../../test/support/service_client.ts";
import type { ServicePartner } from "../../test/support/service_partner.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { addPerson } from "../../test/support/test_people.ts";
import { makeSigningRequest } from "../../test/support/test_request.ts";
import { startTestService } from "../../test/support/test_service.ts";

// Decision D120: a partner's request, from its signature to its outcome, by the operator's command.

const service = await startTestService();
after(service.close);
const { sql } = service.test.database;
const env = envAtDatabase({ ...service.admin, testDatabase: service.test }, temporaryFolder());
const sabika = operatorOf(env, service.now);
const run = (...args: string[]) => runOperator(["credential-request", ...args], env, service.now);

/** Runs `body` with the SDK, opened with this kit. */
async function as<T>(
  partner: ServicePartner,
  body: (client: Awaited<ReturnType<typeof openServiceClient>>["client"]) => Promise<T>,
): Promise<T> {
  await service.refresh();
  const opened = await openServiceClient(partner, service.ports[0]!);
  try {
    return await body(opened.client);
  } finally {
    await opened.close();
  }
}

const requested = (partner: ServicePartner, { id }: RequestedCredential) =>
  as(partner, (client) => client.getRequestedCredential(id));

async function withSigningKey(partner: ServicePartner, signingKeyId: string, keyPem: string) {
  const key = await importPrivatePem(keyPem);
  if (!key.ok) throw new Error(key.code);
  const kit = { ...partner.kit, signingKeyId, signingKeyPem: keyPem };
  return { ...partner, kit, signingKey: key.key };
}

test("certificate and signing key are changed without a gap, each by a request of its own", async () => {
  const [bank] = service.partners;
  const tls = await makeSigningRequest("bank-a");
  const asked = await as(
    bank,
    (client) => client.requestCertificate({ csr: tls.csr, overlapSeconds: 7200 }),
  );
  assertEquals([asked.status, asked.certificate], ["pending", null]);
  const [listed] = await sabika<Record<string, string>[]>("credential-request", "list");
  assertEquals([listed!["client_id"], listed!["key_id"]], ["bank-a", asked.keyId]);
  const issued = await run("issue", asked.id);
  assertEquals(issued.code, 0, issued.stderr);

  const { certificate, replacedEndsAtMs, ...made } = await requested(bank, asked);
  assertEquals([made.status, made.replaces], ["issued", asked.replaces]);
  assertEquals(Math.abs(replacedEndsAtMs! - Date.now() - 7_200_000) < 60_000, true);
  const own = { clientCertificatePem: certificate!, clientKeyPem: tls.keyPem };
  const renewed = { ...bank, kit: { ...bank.kit, ...own } };
  const signing = await makeSigningRequest("bank-a");
  const next = await as(renewed, (client) => client.requestSigningKey({ csr: signing.csr }));
  assertEquals((await run("issue", next.id)).code, 0);
  const changed = await withSigningKey(renewed, next.keyId, signing.keyPem);
  for (const kit of [bank, renewed, changed]) {
    assertEquals((await as(kit, (client) => client.probe())).keyId, kit.kit.signingKeyId);
  }
  const twice = await run("issue", next.id);
  assertStringIncludes(twice.stderr, "issued already");
});

test("the new certificate allows what the old one did, and no other of the partner's ends", async () => {
  const bank = await service.admit("bank-c");
  const [first] = await sabika<{ id: string }[]>("certificate", "list", "bank-c");
  await sabika("certificate", "update", "bank-c", first!.id, "--scope", "read");
  const other = await makeSigningRequest("bank-c");
  await writeFile(join(env.SABIKA_DATA, "other.csr"), other.csr);
  const out = ["--out", join(env.SABIKA_DATA, "other.crt")];
  await sabika("certificate", "issue", "bank-c", join(env.SABIKA_DATA, "other.csr"), ...out);
  const { csr } = await makeSigningRequest("bank-c");
  const asked = await as(bank, (client) => client.requestCertificate({ csr }));
  assertEquals((await run("issue", asked.id)).code, 0);
  const rows = await sql<{ hash: Uint8Array; scope: string; isEnding: boolean }[]>`
    select certificate_hash as hash, scope, valid_until < now() + interval '8 days' as "isEnding"
    from certificates where partner_id = ${bank.partnerId}::integer order by created_at, serial`;
  const ending = rows.filter(({ isEnding }) => isEnding);
  assertEquals(ending.map(({ hash }) => encodeHex(hash)), [asked.replaces]);
  assertEquals(rows.map(({ scope }) => scope).sort(), ["read", "read", "read trade withdraw"]);
});

test("what no valid key of the partner has signed is not issued, whoever wrote the row", async () => {
  const [bank, other] = service.partners;
  const { csr } = await makeSigningRequest("bank-b");
  const asked = await as(other, (client) => client.requestCertificate({ csr }));
  const { csr: forged } = await makeSigningRequest("bank-b");
  const [row] = await sql`select evidence from credential_requests
    where status = 'pending' and partner_id = ${other.partnerId}::integer`;
  const refused = async (evidence: object, because: string) => {
    await sql.begin(async (sql) => {
      await sql`alter table credential_requests disable trigger user`;
      await sql`update credential_requests set evidence = ${JSON.stringify(evidence)}::text::jsonb
        where status = 'pending' and partner_id = ${other.partnerId}::integer`;
      await sql`alter table credential_requests enable trigger user`;
    });
    const { code, stderr } = await run("issue", asked.id);
    assertEquals(code, 1);
    assertStringIncludes(stderr, because);
  };
  const { evidence } = row!;
  await refused({ ...evidence, body: JSON.stringify({ csr: forged }) }, "wrong_signature");
  await refused({ ...evidence, url: "/v1/credentials/signing-key" }, "wrong_url");
  const [foreign] = await sql`select key_id as id from signing_keys
    where partner_id = ${bank.partnerId}::integer limit 1`;
  await refused({ ...evidence, keyId: foreign!["id"] }, "unknown_key");
  await revokeCertificate(service.admin, "bank-b", asked.replaces);
  await refused(evidence, "has ended");
  const reason = "it was revoked";
  assertEquals((await run("refuse", asked.id, "--reason", reason)).code, 0);
  const [ended] = await sql`select status, refusal from credential_requests
    where partner_id = ${other.partnerId}::integer`;
  assertEquals([ended!["status"], ended!["refusal"]], ["refused", reason]);
});

test("where a rule asks for two people, a partner's request waits for the second one", async () => {
  const bank = await service.admit("bank-d");
  const signing = await makeSigningRequest("bank-d");
  const asked = await as(bank, (client) => client.requestSigningKey({ csr: signing.csr }));
  const [amal, badr] = await Promise.all(
    ["amal", "badr"].map(async (name) => {
      const { privatePem } = await addPerson(service.admin, name, ROLES);
      const file = join(env.SABIKA_DATA, `${name}.key`);
      await writeFile(file, privatePem, { mode: 0o600 });
      return { ...env, SABIKA_OPERATOR_KEY_FILE: file };
    }),
  );
  const issue = ["credential-request", "issue", asked.id];
  const waiting = await runOperator(issue, amal!, service.now);
  assertEquals(waiting.code, 3, waiting.stderr);
  assertEquals((await requested(bank, asked)).status, "pending");
  const [request] = await operatorOf(badr!)<{ id: string }[]>("approval", "list");
  const { stdout } = await runOperator(["approval", "show", request!.id], badr!, service.now);
  for (const line of [asked.id, "Bank bank-d", asked.replaces, asked.keyId]) {
    assertStringIncludes(stdout, line);
  }
  const approved = await runOperator(["approval", "approve", request!.id], badr!, service.now);
  assertEquals(approved.code, 0, approved.stderr);
  assertEquals((await requested(bank, asked)).status, "issued");
  const changed = await withSigningKey(bank, asked.keyId, signing.keyPem);
  assertEquals((await as(changed, (client) => client.probe())).keyId, asked.keyId);
  assertEquals((await runOperator(["audit", "verify"], env, service.now)).code, 0);
});
