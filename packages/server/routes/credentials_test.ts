import { after, test } from "node:test";
import { assertEquals, assertNotEquals } from "@std/assert";
import { verifyEvidence } from "@sabika/protocol";
import { codeOf } from "../../../test/support/answers.ts";
import { sendRaw } from "../../../test/support/raw_https.ts";
import type { ServicePartner } from "../../../test/support/service_partner.ts";
import { read, signed } from "../../../test/support/service_requests.ts";
import { makePartnerKey, makeSigningRequest } from "../../../test/support/test_request.ts";
import { startTestService } from "../../../test/support/test_service.ts";

// Decision D120: what a server does with a request for a credential, which it cannot issue.

const service = await startTestService();
after(service.close);
const [bank, other] = service.partners;
const tokens = new Map([bank, other].map((partner) => [partner, service.token(partner)]));

async function ask(
  partner: ServicePartner,
  kind: "certificate" | "signing-key",
  { csr, key = crypto.randomUUID(), more = {} }: { csr: string; key?: string; more?: object },
) {
  const token = (await tokens.get(partner))!;
  const body = JSON.stringify({ csr, ...more });
  const choices = { headers: { "Idempotency-Key": key } };
  const request = await signed(partner, `/v1/credentials/${kind}`, token, body, choices);
  return await sendRaw(service.caller(partner), request);
}

async function get(partner: ServicePartner, path: string) {
  const answer = await sendRaw(
    service.caller(partner),
    read(`/v1/credentials${path}`, (await tokens.get(partner))!),
  );
  return { ...answer, json: JSON.parse(answer.body) };
}

/** The operator's answer, as far as a partner notices it. */
async function refuseAll() {
  await service.test.database.sql`update credential_requests
    set status = 'refused', refusal = 'for the test', decided_at = now() where status = 'pending'`;
}

test("a request waits for the operator, once for its key, and only its partner sees it", async () => {
  const [key, { csr }] = [crypto.randomUUID(), await makeSigningRequest("bank-a")];
  const first = await ask(bank, "certificate", { csr, key, more: { overlap_seconds: 7200 } });
  assertEquals(first.status, 201, first.body);
  const made = JSON.parse(first.body);
  assertEquals([made.kind, made.status, made.overlap_seconds], ["certificate", "pending", 7200]);
  const second = await makeSigningRequest("bank-a");
  const pending = await ask(bank, "certificate", second);
  assertEquals(codeOf(pending), "credential_request_pending");
  assertEquals(JSON.parse(pending.body).meta.resource_id, made.id);

  await refuseAll();
  const again = await ask(bank, "certificate", { csr, key, more: { overlap_seconds: 7200 } });
  assertEquals([again.status, again.body], [200, first.body]);
  assertEquals(again.headers.get("idempotent-replayed"), "true");
  const now = await get(bank, `/${made.id}`);
  assertEquals([now.json.status, now.json.refusal.reason], ["refused", "for the test"]);
  const page = await get(bank, `?idempotency_key=${key}&status=refused`);
  assertEquals(page.json.data, [now.json]);
  assertEquals((await get(bank, "?status=issued")).json.data, []);
  assertEquals((await get(other, `/${made.id}`)).status, 404);
  assertEquals((await get(other, "")).json.data, []);
});

test("a key that made a request makes nothing else, on no route", async () => {
  const [key, { csr }] = [crypto.randomUUID(), await makeSigningRequest("bank-a")];
  const made = JSON.parse((await ask(bank, "signing-key", { csr, key })).body);
  const token = (await tokens.get(bank))!;
  const headers = { headers: { "Idempotency-Key": key } };
  const withdrawal = await signed(bank, "/v1/withdrawals", token, '{"amount_sar":5}', headers);
  const answers = [
    await ask(bank, "certificate", { csr, key }),
    await ask(bank, "signing-key", { csr, key, more: { overlap_seconds: 3600 } }),
    await sendRaw(service.caller(bank), withdrawal),
  ];
  for (const answer of answers) {
    assertEquals(codeOf(answer), "idempotency_key_conflict");
    assertEquals(JSON.parse(answer.body).meta.resource_id, made.id);
  }
  await refuseAll();
});

test("the signing request is judged at once, and nobody learns whose a key is", async () => {
  const foreign = await makeSigningRequest("bank-b");
  const own = await makePartnerKey();
  const csr = await own.csr("bank-a");
  assertEquals((await ask(bank, "signing-key", { csr })).status, 201);
  for (const [text, code] of [["x", "invalid_csr"], [foreign.csr, "invalid_csr"]]) {
    assertEquals(codeOf(await ask(bank, "certificate", { csr: text! })), code);
  }
  const { sql } = service.test.database;
  await sql`update signing_keys set key_id = (select key_id from credential_requests
    where status = 'pending') where partner_id = ${other.partnerId}::integer`;
  const used = await ask(bank, "certificate", { csr });
  assertEquals([used.status, codeOf(used)], [409, "key_in_use"]);
  assertEquals(used.body.includes("bank-b"), false);
  for (const seconds of [0, 3599, 2_592_001, 3600.5]) {
    const more = { overlap_seconds: seconds };
    assertEquals(codeOf(await ask(bank, "certificate", { csr, more })), "invalid_request");
  }
  await refuseAll();
});

test("the signed request is kept, names what it replaces, and is never one of another time", async () => {
  const { csr } = await makeSigningRequest("bank-a");
  const made = JSON.parse((await ask(bank, "signing-key", { csr })).body);
  const { sql } = service.test.database;
  const [row] = await sql`select evidence, key_id as "keyId" from credential_requests
    where status = 'pending'`;
  const [key] = await sql`select key_id as id, public_jwk as jwk from signing_keys
    where partner_id = ${bank.partnerId}::integer`;
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const publicKey = await crypto.subtle.importKey("jwk", key!["jwk"], algorithm, true, ["verify"]);
  assertEquals(await verifyEvidence(row!["evidence"], publicKey), true);
  assertEquals([made.replaces, made.key_id], [key!["id"], row!["keyId"]]);
  assertNotEquals(made.key_id, made.replaces);
  await refuseAll();
  const old = { ...row!["evidence"], timestampSeconds: row!["evidence"].timestampSeconds - 900 };
  const entered = await sql`select from request_credential(${bank.partnerId}::integer,
    gen_random_uuid(), 'another', '', 'signing_key', '', '', 3600, ${JSON.stringify(old)})`
    .catch((error) => error.constraint_name);
  assertEquals(entered, "credential_requests_time");
});
