import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { toPem } from "@sabika/identity/keys";
import { registerSigningKey } from "@sabika/office/partners";
import {
  DIAGNOSIS_MESSAGES,
  type DiagnosisForm,
  encodeBase64Url,
  encodeUtf8,
  type ErrorCode,
  importPrivatePem,
  sha256Hex,
} from "@sabika/protocol";
import { objectOf } from "../../../test/support/answers.ts";
import { sendRaw } from "../../../test/support/raw_https.ts";
import { BASE_URL, signed, type SigningChoices } from "../../../test/support/service_requests.ts";
import { makeKeys } from "../../../test/support/test_keys.ts";
import { startTestService } from "../../../test/support/test_service.ts";

// Decision D15: a refused probe names the mistake. This file tests what the server adds: the partner's
// own keys, hosts and nonces; packages/protocol tests all forms.

const service = await startTestService();
const [bank] = service.partners;
after(() => service.close());
const token = await service.token(bank);
const second = await makeKeys();
const spki = await crypto.subtle.exportKey("spki", second.publicKey);
const secondPem = toPem("PUBLIC KEY", new Uint8Array(spki));
const added = await registerSigningKey(service.admin, bank.clientId, secondPem);
if (!added.ok) throw new Error(added.code);
await service.refresh();
const client = await importPrivatePem(bank.kit.clientKeyPem!);
if (!client.ok) throw new Error(client.code);

const PATH = "/v1/signed-probe?a=1";
const ELSEWHERE = "https://elsewhere.example/";
const bodyHash = await sha256Hex(encodeUtf8("{}"));
const nowSeconds = Math.floor(service.now() / 1000);
const shownHeaders = { timestampSeconds: nowSeconds, nonce: crypto.randomUUID() };
const shown = ["POST", ELSEWHERE, bodyHash, nowSeconds, shownHeaders.nonce].join("\n");
const tooEarly = nowSeconds - 400;

/** What is wrong, the form that the diagnosis names, how it is made, and the refusal's code. */
const MISTAKES: readonly [string, DiagnosisForm, SigningChoices, ErrorCode?][] = [
  ["the Host header's host", "url_host", {
    url: `https://edge.internal${PATH}`,
    headers: { Host: "edge.internal" },
  }],
  ["a URL elsewhere, shown", "url_other", {
    ...shownHeaders,
    url: ELSEWHERE,
    headers: { "Sabika-Signed-String": encodeBase64Url(encodeUtf8(shown)) },
  }],
  ["X-Timestamp in milliseconds", "timestamp_milliseconds", {
    headers: { "x-timestamp": String(service.now()) },
  }, "timestamp_invalid"],
  ["a clock that is 400 seconds off", "correct", {
    timestampSeconds: tooEarly,
  }, "timestamp_out_of_window"],
  ["the Idempotency-Key signed as the nonce", "nonce_other", {
    nonce: "order-4711-order-4711",
    headers: { "x-nonce": crypto.randomUUID(), "Idempotency-Key": "order-4711-order-4711" },
  }],
  ["half a signature", "signature_unreadable", {
    headers: { "x-jws-signature": "a..b" },
  }, "signature_malformed"],
  ["no X-JWS-Signature", "signature_missing", {
    headers: { "x-jws-signature": "" },
  }, "signature_missing"],
  ["client.key", "client_key", { key: client.key }],
  ["the second key under the kid of the first", "other_key", {
    key: second.privateKey,
    keyId: bank.kit.signingKeyId!,
  }],
];

test("a refused probe names the mistake and shows what was to be signed", async () => {
  for (const [name, form, choices, code = "signature_invalid"] of MISTAKES) {
    const request = await signed(bank, PATH, token, "{}", choices);
    const problem = objectOf(await sendRaw(service.caller(bank), request));
    const diagnosis = problem.get("diagnosis") as ReadonlyMap<string, unknown>;
    assertEquals([name, problem.get("code"), diagnosis?.get("form")], [name, code, form]);
    assertEquals(diagnosis.get("message"), DIAGNOSIS_MESSAGES[form]);
    assert(!String(problem.get("detail")).includes("signed-probe"), "the detail leads back here");
    if (code === "timestamp_invalid") continue;
    const sent = Object.fromEntries(request.headers);
    assertEquals(
      String(diagnosis.get("canonical_string")).split("\n"),
      ["POST", BASE_URL + PATH, bodyHash, sent["x-timestamp"], sent["x-nonce"]],
    );
  }
});
