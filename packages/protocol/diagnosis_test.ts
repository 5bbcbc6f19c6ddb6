import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  canonicalString,
  diagnoseSignature,
  type DiagnosisForm,
  encodeBase64,
  encodeBase64Url,
  encodeUtf8,
  parseDetached,
  publicJwk,
  sha256Hex,
  signDetached,
  thumbprint,
} from "./mod.ts";
import { each } from "../../test/support/each.ts";
import { makeKeys, numbersOf } from "../../test/support/test_keys.ts";
import { candidateStrings } from "./wrong_strings.ts";

const BASE_URL = "https://api.example:9443/gold";
const METHOD = "POST";
const TARGET = "/v1/signed-probe?a=1";
const BODY = encodeUtf8('{"b": 1, "a": "x"}\n');
const TIMESTAMP = "1795167000";
const NONCE = "0123456789abcdef";
const URL = BASE_URL + TARGET;
const REQUEST = {
  method: METHOD,
  baseUrl: BASE_URL,
  target: TARGET,
  timestamp: TIMESTAMP,
  nonce: NONCE,
};

const { privateKey, publicKey } = await makeKeys();
const keyId = await thumbprint(await publicJwk(publicKey));
const other = await makeKeys();
const otherKeyId = await thumbprint(await publicJwk(other.publicKey));
const KEYS = [{ keyId, publicKey }];
const BOTH = [...KEYS, { keyId: otherKeyId, publicKey: other.publicKey }];

const hash = await sha256Hex(BODY);
const hashOf = (text: string): Promise<string> => sha256Hex(encodeUtf8(text));
const digest = Uint8Array.from(hash.match(/../g)!, (pair) => parseInt(pair, 16));
const RIGHT = { method: METHOD, url: URL, bodySha256: hash, timestamp: TIMESTAMP, nonce: NONCE };
const right = canonicalString(RIGHT);

async function formOf(signature: string, change: object = {}): Promise<DiagnosisForm> {
  const { form, message } = await diagnoseSignature({
    ...REQUEST,
    body: BODY,
    signature,
    keys: KEYS,
    ...change,
  });
  assert(message.endsWith(".") || message.endsWith("code."));
  return form;
}

const changed = (change: Partial<typeof RIGHT>): string => canonicalString({ ...RIGHT, ...change });
const withUrl = (url: string): string => changed({ url });
const withHash = (bodySha256: string): string => changed({ bodySha256 });
const ofBody = async (text: string): Promise<string> => withHash(await hashOf(text));

const STRINGS: readonly (readonly [string, DiagnosisForm, string])[] = [
  ["the right string", "correct", right],
  ["the right string over the path alone", "correct", withUrl(TARGET)],
  ["http for https", "url_scheme", withUrl(URL.replace("https", "http"))],
  ["the host without its port", "url_host", withUrl(URL.replace(":9443", ""))],
  ["localhost", "url_host", withUrl(URL.replace("api.example", "localhost"))],
  ["the host of the request", "url_host", withUrl(URL.replace("api.example:9443", "edge.example"))],
  ["no base path", "url_base_path", withUrl(URL.replace("/gold", ""))],
  ["the base path without a host", "url_base_path", withUrl(`/gold${TARGET}`)],
  ["the path without /v1", "url_base_path", withUrl("/signed-probe?a=1")],
  ["no query", "url_without_query", withUrl(URL.replace("?a=1", ""))],
  ["the path without its query", "url_without_query", withUrl("/v1/signed-probe")],
  ["a slash at the end", "url_trailing_slash", withUrl(URL.replace("?", "/?"))],
  ["the method in lower case", "method_lower_case", changed({ method: "post" })],
  ["the hash in upper case", "body_hash_upper_case", withHash(hash.toUpperCase())],
  ["the hash in base64", "body_hash_base64", withHash(encodeBase64(digest))],
  ["the hash in base64url", "body_hash_base64", withHash(encodeBase64Url(digest))],
  ["the hash of compact JSON", "body_hash_of_reserialised_json", await ofBody('{"b":1,"a":"x"}')],
  ["the hash of sorted JSON", "body_hash_of_reserialised_json", await ofBody('{"a": "x", "b": 1}')],
  [
    "the hash of indented JSON",
    "body_hash_of_reserialised_json",
    await ofBody('{\n  "b": 1,\n  "a": "x"\n}'),
  ],
  [
    "the hash without the last line end",
    "body_hash_of_reserialised_json",
    await ofBody('{"b": 1, "a": "x"}'),
  ],
  ["the hash of nothing", "body_hash_of_nothing", await ofBody("")],
  ["no hash", "body_hash_of_nothing", withHash("")],
  ["milliseconds", "timestamp_milliseconds", changed({ timestamp: `${TIMESTAMP}000` })],
  ["CR LF", "line_ends_crlf", right.replaceAll("\n", "\r\n")],
  ["CR LF, also at the end", "line_ends_crlf", `${right}\n`.replaceAll("\n", "\r\n")],
  ["a final line feed", "final_line_feed", `${right}\n`],
  ["nonce before timestamp", "parts_swapped", [METHOD, URL, hash, NONCE, TIMESTAMP].join("\n")],
  ["URL before method", "parts_swapped", [URL, METHOD, hash, TIMESTAMP, NONCE].join("\n")],
  ["another method", "method_other", changed({ method: "GET" })],
  ["the path of an order", "url_path", withUrl(`${BASE_URL}/v1/orders`)],
  ["the base URL alone", "url_path", withUrl(BASE_URL)],
  [
    "the body in place of its hash",
    "body_not_hashed",
    [METHOD, URL, new TextDecoder().decode(BODY), TIMESTAMP, NONCE].join("\n"),
  ],
  ["the hash of the hash", "double_hash", await ofBody(hash)],
  ["the hash of the hash's bytes", "double_hash", withHash(await sha256Hex(digest))],
  ["the hash of the canonical string", "double_hash", await hashOf(right)],
  ["the next second", "timestamp_other", changed({ timestamp: "1795167001" })],
  ["the Idempotency-Key as nonce", "nonce_other", changed({ nonce: "key-1" })],
  ["the payload in base64url", "payload_base64url", encodeBase64Url(encodeUtf8(right))],
  ["something else", "unregistered_key_or_nonce", "hello"],
];
for (const [name, form, text] of STRINGS) {
  test(`diagnoseSignature() recognises ${name} as ${form}`, async () => {
    const signature = await signDetached(text, privateKey);
    const others = { otherHosts: ["edge.example"], otherNonces: ["key-1"] };
    assertEquals(await formOf(signature, others), form);
  });
}

test("a signature in DER is recognised", async () => {
  const parsed = parseDetached(await signDetached(right, privateKey));
  assert(parsed.ok);
  const { r, s } = numbersOf(parsed.signature);
  const integer = (value: bigint): number[] => {
    const hex = value.toString(16);
    const bytes = (hex.length % 2 ? `0${hex}` : hex).match(/../g)!.map((p) => parseInt(p, 16));
    if (bytes[0]! >= 0x80) bytes.unshift(0);
    return [2, bytes.length, ...bytes];
  };
  const numbers = [...integer(r), ...integer(s)];
  const der = Uint8Array.of(0x30, numbers.length, ...numbers);
  for (const encoded of [encodeBase64Url(der), encodeBase64(der)]) {
    assertEquals(await formOf(`${parsed.protectedSegment}..${encoded}`), "signature_der");
  }
});

test("a signature by another active key than the one in kid is recognised", async () => {
  const signature = await signDetached(right, other.privateKey, { keyId });
  assertEquals(await formOf(signature, { keys: BOTH }), "other_key");
  const unknownKid = await signDetached(right, privateKey, { keyId: otherKeyId });
  assertEquals(await formOf(unknownKid), "other_key");
});

test("a key that is not the partner's is not recognised", async () => {
  const foreign = await signDetached(right, other.privateKey);
  assertEquals(await formOf(foreign), "unregistered_key_or_nonce");
  const good = await signDetached(right, privateKey);
  assertEquals(await formOf(good, { keys: [] }), "unregistered_key_or_nonce");
  // It is recognised as the key of a certificate, or when kid names it.
  assertEquals(await formOf(foreign, { clientKeys: [other.publicKey] }), "client_key");
  const named = await signDetached(right, other.privateKey, { keyId: otherKeyId });
  assertEquals(await formOf(named), "unregistered_key");
});

const SIGNED: readonly (readonly [DiagnosisForm, Partial<typeof RIGHT> | string])[] = [
  ["method_other", { method: "PATCH" }],
  ["url_other", { url: "https://elsewhere.example/" }],
  ["body_hash_other", { bodySha256: "0".repeat(64) }],
  ["timestamp_other", { timestamp: "1790000000" }],
  ["nonce_other", { nonce: "another-nonce-0123" }],
  ["line_count", "hello"],
];
for (const [form, wrong] of SIGNED) {
  test(`diagnoseSignature() finds ${form} in the string that the signer claims`, async () => {
    const text = typeof wrong === "string" ? wrong : canonicalString({ ...RIGHT, ...wrong });
    const signature = await signDetached(text, privateKey);
    assertEquals(await formOf(signature), "unregistered_key_or_nonce");
    for (const signedString of [encodeBase64Url(encodeUtf8(text)), btoa(`${text}\n`)]) {
      assertEquals(await formOf(signature, { signedString }), form);
    }
    // If no key fits the claimed string either, another key has signed.
    const foreign = await signDetached(text, other.privateKey);
    const signedString = encodeBase64Url(encodeUtf8(text));
    assertEquals(await formOf(foreign, { signedString }), "unregistered_key");
    assertEquals(await formOf(signature, { signedString: "~" }), "unregistered_key_or_nonce");
  });
}

test("a diagnosis shows the string to sign, once the headers are well-formed", async () => {
  const request = { ...REQUEST, body: BODY, signature: "", keys: KEYS };
  assertEquals((await diagnoseSignature(request)).canonicalString, right);
  const mistakes = [{ nonce: "short" }, { timestamp: "soon" }, { timestamp: `${TIMESTAMP}000` }];
  for (const wrong of mistakes) {
    assertEquals((await diagnoseSignature({ ...request, ...wrong })).canonicalString, undefined);
  }
});

/** Signs as a library does that does not know this contract's header. */
async function signWithHeader(header: string, payload: string): Promise<string> {
  const segment = encodeBase64Url(encodeUtf8(header));
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const input = encodeUtf8(`${segment}.${payload}`);
  const signature = await crypto.subtle.sign(algorithm, privateKey, input);
  return `${segment}..${encodeBase64Url(new Uint8Array(signature))}`;
}

test("a plain JWS library's b64=true is recognised by its payload", async () => {
  const signature = await signWithHeader('{"alg":"ES256"}', encodeBase64Url(encodeUtf8(right)));
  assert(!parseDetached(signature).ok);
  assertEquals(await formOf(signature), "payload_base64url");
});

test("the right string with a wrong header or encoding is jws_form", async () => {
  const header = '{"alg":"ES256","b64":false,"crit":["b64"],"typ":"JOSE"}';
  assertEquals(await formOf(await signWithHeader(header, right)), "jws_form");
  const good = await signDetached(right, privateKey);
  assertEquals(await formOf(`${good}==`), "jws_form");
  const [head, , tail] = good.split(".");
  assertEquals(await formOf(`${head}.eyJ9.${tail}`), "jws_form");
});

test("an X-Timestamp in milliseconds is recognised before anything else", async () => {
  for (const timestamp of ["1795167000123", "1795167000123456"]) {
    assertEquals(await formOf("", { timestamp }), "timestamp_milliseconds");
  }
});

const UNREADABLE = [
  ...each(". .. ... a.. a..b x \u{1f947}..\u{1f947}"),
  `a..${"A".repeat(100_000)}`,
];
for (const signature of UNREADABLE) {
  test(`diagnoseSignature() cannot read ${JSON.stringify(signature.slice(0, 12))}`, async () => {
    assertEquals(await formOf(signature), "signature_unreadable");
  });
}

test("a body that is not JSON, or not text, is diagnosed too", async () => {
  for (const body of [Uint8Array.of(0xff, 0xfe), encodeUtf8("not json"), new Uint8Array()]) {
    const parts = { ...RIGHT, bodySha256: (await sha256Hex(body)).toUpperCase() };
    const signature = await signDetached(canonicalString(parts), privateKey);
    assertEquals(await formOf(signature, { body }), "body_hash_upper_case");
  }
});

test("a body that would grow too much by indentation is not serialised again", async () => {
  const nested = (depth: number, items: number) =>
    encodeUtf8("[".repeat(depth) + "1,".repeat(items) + "1" + "]".repeat(depth));
  const reserialised = async (body: Uint8Array) =>
    (await candidateStrings({ ...REQUEST, body })).filter(({ form }) =>
      form === "body_hash_of_reserialised_json"
    ).length;
  assert(await reserialised(nested(32, 1_000)) > 0);
  // The indented copy of a body of 64 KiB like this would have hundreds of megabytes.
  assertEquals(await reserialised(nested(1_500, 31_000)), 0);
  assertEquals(await reserialised(nested(33, 1)), await reserialised(encodeUtf8("not JSON")));
});
