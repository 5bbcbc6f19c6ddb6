/** Checks this implementation against docs/vectors, with which clients in every language check themselves. */
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  canonicalString,
  checkSignedHeaders,
  decodePem,
  encodeUtf8,
  formatHalalas,
  formatMicrograms,
  formatPrice,
  formatRate,
  fundingRequestFromJson,
  hexToThumbprint,
  importPrivatePem,
  importPublicJwk,
  importPublicPem,
  JsonSyntaxError,
  JWS_ERROR_CODES,
  normaliseCertificateHash,
  parseHalalas,
  parseJson,
  parseMicrograms,
  parsePrice,
  parseRate,
  parseWebhookSecret,
  sha256Hex,
  signDetached,
  signWebhook,
  thumbprint,
  verifyDetached,
  verifyWebhook,
  WEBHOOK_REFUSALS,
} from "./mod.ts";

// deno-lint-ignore no-explicit-any
function read(name: string): any {
  const url = new URL(`../../docs/vectors/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8"));
}

const { keys } = read("keys");
const canonical = read("canonical_string");
const jws = read("jws");
const webhook = read("webhook");
const { certificates, fingerprints } = read("certificate_hash");
const numbers = read("numbers");

async function publicKey(name: string): Promise<CryptoKey> {
  const { public_key_pem } = keys.find((key: { name: string }) => key.name === name);
  const imported = await importPublicPem(public_key_pem);
  assert(imported.ok);
  return imported.key;
}
const signer = await publicKey("signer");

for (const { name, key_id, private_key_pem, public_key_pem, jwk } of keys) {
  test(`keys: ${name} is imported from each form`, async () => {
    const [{ d: _, ...publicJwk }, privateKey] = [jwk, await importPrivatePem(private_key_pem)];
    assert(privateKey.ok);
    const signed = await signDetached("payload", privateKey.key, { keyId: key_id });
    for (const form of [await importPublicPem(public_key_pem), await importPublicJwk(publicJwk)]) {
      assert(form.ok);
      assertEquals(await verifyDetached(signed, "payload", form.key), { ok: true, keyId: key_id });
    }
    assertEquals(await thumbprint(jwk), key_id);
  });
}

for (const { name, body, jws, ...vector } of canonical.vectors) {
  test(`canonical_string: ${name}`, async () => {
    const bodySha256 = await sha256Hex(encodeUtf8(body));
    assertEquals(bodySha256, vector.body_sha256);
    assertEquals(canonicalString({ ...vector, bodySha256 }), vector.canonical);
    assertEquals(await sha256Hex(encodeUtf8(vector.canonical)), vector.canonical_sha256);
    assert((await verifyDetached(jws, vector.canonical, signer)).ok);
  });
}

for (const { name, body, ...parts } of canonical.refused) {
  test(`canonical_string refuses ${name}`, async () => {
    const bodySha256 = await sha256Hex(encodeUtf8(body));
    assertThrows(() => canonicalString({ ...parts, bodySha256 }), RangeError);
  });
}

// F33 of the fault catalogue.
for (const { name, timestamp, nonce, refusal } of canonical.headers) {
  test(`X-Timestamp and X-Nonce: ${name}`, () => {
    const [{ jws: signature }] = canonical.vectors;
    const checked = checkSignedHeaders({ timestamp, nonce, signature });
    assertEquals(checked.ok ? null : checked.code, refusal);
  });
}

// F43 to F46 of the fault catalogue.
for (const { name, payload, jws: text, key_id, refusal } of [...jws.valid, ...jws.invalid]) {
  test(`jws: ${name}`, async () => {
    const verified = await verifyDetached(text, payload, signer);
    if (verified.ok) assertEquals([verified.keyId ?? null, undefined], [key_id, refusal]);
    else assertEquals(verified.code, refusal);
  });
}

for (const { name, timestamp, signature, ...message } of webhook.signatures) {
  test(`webhook: signs ${name}`, async () => {
    assertEquals(await signWebhook({ ...message, timestampSeconds: timestamp }), signature);
  });
}

// F80 of the fault catalogue.
for (const { name, secrets, headers, body, now, refusal } of webhook.deliveries) {
  test(`webhook: ${name}`, async () => {
    const request = { secrets, headers: new Map(Object.entries<string>(headers)), body };
    const verified = await verifyWebhook({ ...request, nowSeconds: now });
    assertEquals(verified.ok ? null : verified.reason, refusal);
  });
}

test("webhook: secrets are accepted or refused as the vectors say", () => {
  for (const { secret, valid } of webhook.secrets) {
    assertEquals(parseWebhookSecret(secret) !== undefined, valid, secret);
  }
});

test("certificate_hash: the hash in a token, and in each form that tools print", async () => {
  for (const { certificate_pem, sha256, x5t_s256 } of certificates) {
    assertEquals(await sha256Hex(decodePem(certificate_pem)!.bytes), sha256);
    assertEquals(hexToThumbprint(sha256), x5t_s256);
  }
  for (const { text, sha256 } of fingerprints) {
    assertEquals(normaliseCertificateHash(text) ?? null, sha256, text);
  }
});

const KINDS = {
  sar: { parse: parseHalalas, format: formatHalalas },
  grams: { parse: parseMicrograms, format: formatMicrograms },
  price: { parse: parsePrice, format: formatPrice },
  rate: { parse: parseRate, format: formatRate },
};
type Kind = keyof typeof KINDS;

// F67 of the fault catalogue.
for (const { kind, text, value, refusal } of [...numbers.accepted, ...numbers.refused]) {
  test(`numbers: ${JSON.stringify(text)} ${kind} ${refusal ?? "is read"}`, () => {
    const amount = KINDS[kind as Kind].parse(text);
    assertEquals(amount.ok ? String(amount.value) : amount.code, value ?? refusal);
  });
}

test("numbers: amounts are written as the vectors say", () => {
  for (const { kind, value, text } of numbers.written) {
    assertEquals(KINDS[kind as Kind].format(BigInt(value)), text);
  }
});

function readBody(body: string) {
  try {
    const request = fundingRequestFromJson(parseJson(body));
    if (request.ok) return { value: String(request.value.amountHalalas), refusal: null };
    const errors = request.errors.map(({ pointer, code }) => ({ pointer, code }));
    return { refusal: "invalid_request", errors };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { refusal: "malformed_json", errors: [] };
    throw error;
  }
}
for (const { body, ...expected } of numbers.bodies) {
  test(`numbers: the body ${JSON.stringify(body)}`, () => assertEquals(readBody(body), expected));
}

test("each reason to refuse a JWS, a webhook, a number or a body has a vector", () => {
  const refusalsOf = (vectors: readonly { refusal: string | null }[]) =>
    new Set(vectors.map(({ refusal }) => refusal).filter((refusal) => refusal !== null));
  assertEquals(refusalsOf(jws.invalid), new Set(JWS_ERROR_CODES));
  assertEquals(refusalsOf(webhook.deliveries), new Set(WEBHOOK_REFUSALS));
  assertEquals(refusalsOf(numbers.refused), new Set(["too_precise", "wrong_form"]));
  assertEquals(refusalsOf(numbers.bodies), new Set(["invalid_request", "malformed_json"]));
});
