import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { flattenedVerify } from "jose";
import {
  type CheckedSignedHeaders,
  checkSignedHeaders,
  checkTimestampWindow,
  publicJwk,
  type RequestToSign,
  sha256Hex,
  signRequest,
  skewSeconds,
  thumbprint,
  type VerificationKey,
  verifySignedRequest,
} from "./mod.ts";
import { makeKeys } from "../../test/support/test_keys.ts";

const utf8 = new TextEncoder();
const BASE_URL = "https://127.0.0.1:8443";
const TARGET = "/v1/orders?a=1&B=%20";
const BODY = utf8.encode('{"quote_id":"qt_1"}');
const NOW_MS = 1_795_167_000_500;
const NONCE = "0123456789abcdef";

const pair = await makeKeys();
const keyId = await thumbprint(await publicJwk(pair.publicKey));
const key: VerificationKey = { keyId, publicKey: pair.publicKey };
const otherPair = await makeKeys();
const otherKey: VerificationKey = {
  keyId: await thumbprint(await publicJwk(otherPair.publicKey)),
  publicKey: otherPair.publicKey,
};

const REQUEST: RequestToSign = {
  method: "POST",
  url: BASE_URL + TARGET,
  body: BODY,
  timestampSeconds: 1795167000,
  nonce: NONCE,
  privateKey: pair.privateKey,
};

async function headersOf(request: RequestToSign): Promise<CheckedSignedHeaders> {
  const headers = await signRequest(request);
  const checked = checkSignedHeaders({
    timestamp: headers["x-timestamp"],
    nonce: headers["x-nonce"],
    signature: headers["x-jws-signature"],
  });
  assert(checked.ok);
  return checked;
}

async function receivedRequest(request: RequestToSign = REQUEST) {
  return {
    method: "POST",
    baseUrl: BASE_URL,
    target: TARGET,
    bodySha256: await sha256Hex(BODY),
    headers: await headersOf(request),
    keys: [key],
  };
}

test("a signed request verifies over the absolute URL, and over the path only", async () => {
  const absolute = await verifySignedRequest(await receivedRequest());
  assert(absolute.ok);
  assertEquals([absolute.keyId, absolute.urlForm], [keyId, "absolute"]);
  assertEquals(absolute.canonical.split("\n")[1], BASE_URL + TARGET);
  const origin = await verifySignedRequest(await receivedRequest({ ...REQUEST, url: TARGET }));
  assert(origin.ok);
  assertEquals(origin.urlForm, "origin");
});

test("X-JWS-Signature is a detached JWS over the five lines, and jose verifies it", async () => {
  const headers = await signRequest({ ...REQUEST, keyId });
  const [protectedHeader, payload, signature] = headers["x-jws-signature"].split(".");
  assertEquals(payload, "");
  const lines = ["POST", BASE_URL + TARGET, await sha256Hex(BODY), "1795167000", NONCE];
  const verified = await flattenedVerify(
    { protected: protectedHeader!, payload: lines.join("\n"), signature: signature! },
    pair.publicKey,
    { crit: { b64: true } },
  );
  assertEquals(verified.protectedHeader?.kid, keyId);
});

/** Returns the id of the key that fits, or the code of the refusal. */
async function outcome(request: RequestToSign, change: object): Promise<string> {
  const verified = await verifySignedRequest({ ...await receivedRequest(request), ...change });
  return verified.ok ? verified.keyId : verified.code;
}

test("without kid each active key is tried, with kid only that key, if it is active", async () => {
  const keys = [otherKey, key];
  const requestWithKid = { ...REQUEST, keyId };
  assertEquals(await outcome(REQUEST, { keys }), keyId);
  assertEquals(await outcome(requestWithKid, { keys }), keyId);
  const cases = [
    [{ ...REQUEST, keyId: otherKey.keyId }, keys],
    [requestWithKid, [otherKey]],
    [requestWithKid, []],
  ] as const;
  for (const [request, active] of cases) {
    assertEquals(await outcome(request, { keys: active }), "signature_invalid");
  }
});

const CHANGES: Record<string, object> = {
  "another method": { method: "PUT" },
  "another path": { target: "/v1/withdrawals?a=1&B=%20" },
  "a query in another order": { target: "/v1/orders?B=%20&a=1" },
  "a decoded query": { target: "/v1/orders?a=1&B= " },
  "a request without its query": { target: "/v1/orders" },
  "another host": { baseUrl: "https://127.0.0.1:8444" },
  "another scheme": { baseUrl: "http://127.0.0.1:8443" },
  "another body": { bodySha256: await sha256Hex(utf8.encode('{"quote_id":"qt_2"}')) },
  "another timestamp": { headers: { ...await headersOf(REQUEST), timestamp: "1795167001" } },
  "another nonce": { headers: { ...await headersOf(REQUEST), nonce: "0123456789abcdeF" } },
};
for (const [name, change] of Object.entries(CHANGES)) {
  test(`verifySignedRequest() refuses ${name} (F46)`, async () => {
    assertEquals(await outcome(REQUEST, change), "signature_invalid");
  });
}

test("checkSignedHeaders() refuses a missing signature, and a malformed one without quoting it", () => {
  const headers = { timestamp: "1795167000", nonce: NONCE };
  const unsigned = checkSignedHeaders({ ...headers, signature: undefined });
  assertEquals(unsigned.ok ? "accepted" : unsigned.code, "signature_missing");
  const checked = checkSignedHeaders({ ...headers, signature: "secret..x" });
  assert(!checked.ok);
  assertEquals([checked.code, checked.meta], [
    "signature_malformed",
    { reason: "header_not_base64url" },
  ]);
  assert(!JSON.stringify(checked).includes("secret"));
});

for (const skew of [-301, -300, 0, 300, 301]) {
  const isAccepted = Math.abs(skew) <= 300;
  test(`a skew of ${skew} s is ${isAccepted ? "inside" : "outside"} the window`, () => {
    const refused = checkTimestampWindow(1795167000 + skew, NOW_MS);
    assertEquals(skewSeconds(1795167000 + skew, NOW_MS), skew);
    if (isAccepted) return assertEquals(refused, undefined);
    assertEquals(refused?.code, "timestamp_out_of_window");
    assertEquals(refused?.meta, { server_time: "2026-11-20T09:30:00.500Z", skew_seconds: skew });
  });
}

test("signRequest() refuses a nonce or a timestamp that the service would refuse", async () => {
  await assertRejects(() => signRequest({ ...REQUEST, nonce: "short" }), RangeError, "nonce");
  for (const timestampSeconds of [1.5, 0, -1, NaN, NOW_MS]) {
    await assertRejects(
      () => signRequest({ ...REQUEST, timestampSeconds }),
      RangeError,
      "Unix time",
    );
  }
});

test("a signed request verifies, whatever its path, nonce, time and body", async () => {
  const visibleText = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((n) => String.fromCharCode(n)),
    minLength: 16,
    maxLength: 128,
  });
  await fc.assert(
    fc.asyncProperty(
      visibleText,
      fc.integer({ min: 1, max: 99_999_999_999 }),
      fc.uint8Array({ maxLength: 100 }),
      visibleText,
      async (nonce, timestampSeconds, body, path) => {
        const target = `/${path}`;
        const request = { ...REQUEST, nonce, timestampSeconds, body, url: BASE_URL + target };
        const verified = await verifySignedRequest({
          ...await receivedRequest(request),
          target,
          bodySha256: await sha256Hex(body),
        });
        assert(verified.ok);
      },
    ),
    { numRuns: 50 },
  );
});
