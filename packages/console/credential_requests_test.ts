import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { admitPartner } from "@sabika/office/partners";
import { encodeUtf8, HEADER, importPrivatePem, parseId, signRequest } from "@sabika/protocol";
import { createCredentialRequests } from "@sabika/service/credentials";
import { findPartner } from "@sabika/service/partners";
import { createFixedPrice } from "@sabika/service/prices";
import { createTrading } from "@sabika/service/trading";
import { ROLES } from "@sabika/terms";
import { consoleForms, openConsoleOffice } from "../../test/support/console_forms.ts";
import { random } from "../../test/support/random.ts";
import { anAdmission } from "../../test/support/test_admin.ts";
import { makeSigningRequest } from "../../test/support/test_request.ts";

const prices = createFixedPrice({ midTenThousandths: 4_000_000n });

const office = await openConsoleOffice();
const { admin } = office;
const admitted = await admitPartner(admin, anAdmission("bank-one"));
assert(admitted.ok);
const partner = (await findPartner(admin.database.sql, "bank-one"))!;
const key = await importPrivatePem(admitted.value.kit.signingKeyPem!);
assert(key.ok);
const signingKey = key.key;
const { app: database } = admin.testDatabase;
const cell = createTrading({ database, prices, random, now: Date.now });
const requests = createCredentialRequests({ database, reading: database, cell, random });
after(() => office.close());

/** Asks for a certificate as the server does for its partner. */
async function ask() {
  const { csr } = await makeSigningRequest("bank-one");
  const [url, body] = ["/v1/credentials/certificate", JSON.stringify({ csr })];
  const [timestampSeconds, nonce] = [Math.floor(Date.now() / 1000), crypto.randomUUID()];
  const headers = await signRequest({
    method: "POST",
    url,
    body: encodeUtf8(body),
    timestampSeconds,
    nonce,
    privateKey: signingKey,
  });
  const signature = headers[HEADER.jwsSignature];
  const asked = await requests.request({
    partner,
    kind: "certificate",
    certificateHash: partner.certificates[0]!.hashHex,
    idempotencyKey: nonce,
    parameters: body,
    receivedAtMs: Date.now(),
    request: { csr, overlapSeconds: null },
    nonce: { value: nonce, timestampSeconds },
    evidence: { url, body, keyId: partner.signingKeys[0]!.keyId, signature },
  });
  assert(asked.ok, JSON.stringify(asked));
  return asked.value;
}

test("what a partner asks for by the API is issued or refused from its page", async () => {
  const { send, read, sign } = consoleForms(office);
  const amal = await office.person("amal", ROLES);
  const answer = async (act: string, more: string[][] = []) => {
    const page = await read(amal, "/en/credential-requests?status=pending");
    const form = page.split("<form").find((form) => form.includes(`name="act" value="${act}"`))!;
    const fields = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
      .map(([, name, value]) => [name!, value!]);
    const staged = await send(amal, "/en/acts/sign", [...fields, ...more]);
    assertEquals((await sign(amal, staged.text)).status, 200);
    return staged.text;
  };
  const first = await ask();
  const shown = await answer("certificate.rotate");
  for (const text of [first.id, first.keyId, first.replaces, partner.signingKeys[0]!.keyId]) {
    assertStringIncludes(shown, text);
  }
  const second = await ask();
  await answer("credential.refuse", [["given.reason", "call us first"]]);
  const { partnerId } = partner;
  const [issued, refused] = await Promise.all(
    [first, second].map(({ id }) => requests.get({ partnerId, credentialId: parseId("cr", id)! })),
  );
  assertEquals([issued!.status, refused!.refusalReason], ["issued", "call us first"]);
});
