import { after, test } from "node:test";
import { createHash, createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { assert, assertEquals } from "@std/assert";
import { registerSigningKey } from "@sabika/office/partners";
import {
  DIAGNOSIS_FORMS,
  DIAGNOSIS_MESSAGES,
  type DiagnosisForm,
  type ErrorCode,
} from "@sabika/protocol";
import { objectOf } from "../../../test/support/answers.ts";
import { openRaw } from "../../../test/support/raw_https.ts";
import { BASE_URL, write } from "../../../test/support/service_requests.ts";
import { startTestService } from "../../../test/support/test_service.ts";

// Decision D15: what a newcomer gets wrong has its name. The signatures are made by node:crypto, so
// that no mistake of our own signing can hide behind the same one in verifying.

const service = await startTestService();
const [bank, other] = service.partners;
const token = await service.token(bank);
const connection = await openRaw(service.caller(bank));
after(() => {
  connection.close();
  return service.close();
});

const { kit } = bank;
const registered = createPrivateKey(kit.signingKeyPem!);
const second = generateKeyPairSync("ec", { namedCurve: "P-256" });
const secondPem = second.publicKey.export({ type: "spki", format: "pem" }) as string;
const added = await registerSigningKey(service.admin, bank.clientId, secondPem);
if (!added.ok) throw new Error(added.code);
await service.refresh();
const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const clientKey = createPrivateKey(kit.clientKeyPem!);

const PATH = "/v1/signed-probe";
const TARGET = `${PATH}?a=1`;
const BODY = '{ "quote_id": "qt_1", "client_reference": "a" }\n';
const HEADER = '{"alg":"ES256","b64":false,"crit":["b64"]}';
const nowSeconds = () => Math.floor(service.now() / 1000);
const hash = (data: string | Uint8Array, algorithm = "sha256") =>
  createHash(algorithm).update(data).digest();
const hex = (data: string | Uint8Array, algorithm?: string) =>
  hash(data, algorithm).toString("hex");
const base64Url = (data: string | Uint8Array) => Buffer.from(data).toString("base64url");
const JSON_BODY = JSON.parse(BODY);
const RESERIALISED = JSON.stringify(JSON_BODY);

/** What is signed and sent; each mistake changes one thing. */
interface Parts {
  method: string;
  url: string;
  bodyHash: string;
  timestamp: string;
  nonce: string;
  separator: string;
  end: string;
}
interface Mistake {
  /** Changes what is signed. */
  parts?: (right: Parts) => Partial<Parts>;
  /** What goes in place of the five lines. */
  payload?: (text: string) => string | Uint8Array;
  /** What goes into the signing function. */
  input?: (input: Buffer, payload: string) => string | Uint8Array;
  digest?: string;
  key?: ReturnType<typeof createPrivateKey>;
  der?: true;
  header?: string;
  /** Changes X-JWS-Signature. */
  jws?: (right: string) => string;
  /** Further headers; undefined leaves one out. */
  headers?: (right: Parts, payload: string) => Record<string, string | undefined>;
  code?: ErrorCode;
}

const swap = (order: readonly (keyof Parts)[]): Mistake => ({
  payload: (text) => {
    const [method, url, bodyHash, timestamp, nonce] = text.split("\n");
    const parts: Partial<Parts> = { method, url, bodyHash, timestamp, nonce };
    return order.map((name) => parts[name]).join("\n");
  },
});
const url = (change: (url: string) => string): Mistake => ({
  parts: (right) => ({ url: change(right.url) }),
});
const bodyHash = (text: string): Mistake => ({ parts: () => ({ bodyHash: text }) });
const told = (_: Parts, payload: string) => ({ "Sabika-Signed-String": base64Url(payload) });

const MISTAKES: Record<string, readonly [DiagnosisForm, Mistake]> = {
  "http for https": ["url_scheme", url((text) => text.replace("https", "http"))],
  "localhost for the host": ["url_host", url((text) => text.replace("sabika.test", "localhost"))],
  "a port in the host": ["url_host", url((text) => text.replace(".test", ".test:8443"))],
  "the path without /v1": ["url_base_path", url((text) => text.replace("/v1", ""))],
  "no query": ["url_without_query", url((text) => text.replace("?a=1", ""))],
  "a slash after the path": ["url_trailing_slash", url((text) => text.replace("?", "/?"))],
  "the path of an order": ["url_path", url(() => `${BASE_URL}/v1/orders`)],
  "a URL elsewhere, shown": ["url_other", {
    parts: () => ({ url: "https://elsewhere.example/" }),
    headers: told,
  }],
  "the method in lower case": ["method_lower_case", { parts: () => ({ method: "post" }) }],
  "another method": ["method_other", { parts: () => ({ method: "GET" }) }],
  "the hash in upper case": ["body_hash_upper_case", bodyHash(hex(BODY).toUpperCase())],
  "the hash in base64": ["body_hash_base64", bodyHash(hash(BODY).toString("base64"))],
  "the hash in base64url": ["body_hash_base64", bodyHash(base64Url(hash(BODY)))],
  "the hash of the JSON written again": [
    "body_hash_of_reserialised_json",
    bodyHash(hex(RESERIALISED)),
  ],
  "the hash of the JSON with its members sorted": [
    "body_hash_of_reserialised_json",
    bodyHash(hex(JSON.stringify(JSON_BODY, Object.keys(JSON_BODY).sort()))),
  ],
  "the hash without the last line feed": [
    "body_hash_of_reserialised_json",
    bodyHash(hex(BODY.trim())),
  ],
  "the hash of nothing": ["body_hash_of_nothing", bodyHash(hex(""))],
  "no hash": ["body_hash_of_nothing", bodyHash("")],
  "the body hashed with SHA-512": ["body_hash_not_sha256", bodyHash(hex(BODY, "sha512"))],
  "the body in place of its hash": ["body_not_hashed", bodyHash(BODY)],
  "the hash of another body, shown": ["body_hash_other", {
    ...bodyHash(hex("another")),
    headers: told,
  }],
  "X-Timestamp in milliseconds": ["timestamp_milliseconds", {
    parts: (right) => ({ timestamp: `${right.timestamp}000` }),
    headers: (right) => ({ "X-Timestamp": `${right.timestamp}000` }),
    code: "timestamp_invalid",
  }],
  "milliseconds signed alone": ["timestamp_milliseconds", {
    parts: (right) => ({ timestamp: `${right.timestamp}000` }),
  }],
  "the clock read twice": ["timestamp_other", {
    parts: (right) => ({ timestamp: String(Number(right.timestamp) - 1) }),
  }],
  "another timestamp, shown": ["timestamp_other", {
    parts: () => ({ timestamp: "1700000000" }),
    headers: told,
  }],
  "the Idempotency-Key signed as the nonce": ["nonce_other", {
    parts: () => ({ nonce: "order-4711" }),
    headers: () => ({ "Idempotency-Key": "order-4711" }),
  }],
  "another nonce, shown": ["nonce_other", {
    parts: () => ({ nonce: crypto.randomUUID() }),
    headers: told,
  }],
  "CR LF between the lines": ["line_ends_crlf", { parts: () => ({ separator: "\r\n" }) }],
  "a line feed at the end": ["final_line_feed", { parts: () => ({ end: "\n" }) }],
  "nonce and timestamp swapped": [
    "parts_swapped",
    swap(["method", "url", "bodyHash", "nonce", "timestamp"]),
  ],
  "URL before method": [
    "parts_swapped",
    swap(["url", "method", "bodyHash", "timestamp", "nonce"]),
  ],
  "four lines, shown": ["line_count", {
    ...swap(["method", "url", "timestamp", "nonce"]),
    headers: told,
  }],
  "the header left out of what is signed": ["header_not_signed", {
    input: (_, payload) => payload,
  }],
  "the payload in base64url": ["payload_base64url", { payload: base64Url }],
  "a library's own header and payload": ["payload_base64url", {
    header: '{"alg":"ES256"}',
    payload: base64Url,
    code: "signature_malformed",
  }],
  "the hash of the input signed": ["double_hash", { input: (input) => hash(input) }],
  "the hash of the input signed in hexadecimal": ["double_hash", { input: (input) => hex(input) }],
  "the hash of the five lines signed": ["double_hash", { payload: (text) => hex(text) }],
  "the body hashed twice": ["double_hash", bodyHash(hex(hex(BODY)))],
  "SHA-512": ["signature_not_sha256", { digest: "sha512" }],
  "SHA-384": ["signature_not_sha256", { digest: "sha384" }],
  "DER": ["signature_der", { der: true, code: "signature_malformed" }],
  "no X-JWS-Signature": ["signature_missing", {
    headers: () => ({ "X-JWS-Signature": undefined }),
    code: "signature_missing",
  }],
  "half a signature": ["signature_unreadable", {
    jws: (right) => right.slice(0, -43),
    code: "signature_malformed",
  }],
  "padding after the signature": ["jws_form", {
    jws: (right) => `${right}==`,
    code: "signature_malformed",
  }],
  "the five lines as the middle segment": ["jws_form", {
    jws: (right) => right.replace("..", ".eyJ9."),
    code: "signature_malformed",
  }],
  "typ in the header": ["jws_form", {
    header: '{"alg":"ES256","b64":false,"crit":["b64"],"typ":"JOSE"}',
    code: "signature_malformed",
  }],
  "client.key": ["client_key", { key: clientKey }],
  "a key of one's own under the kid of another": ["other_key", {
    key: second.privateKey,
    header: HEADER.replace("}", `,"kid":"${kit.signingKeyId}"}`),
  }],
  "an unregistered key, named by kid": ["unregistered_key", {
    key: stranger,
    header: HEADER.replace("}", `,"kid":"${other.kit.signingKeyId}"}`),
  }],
  "an unregistered key, what it signed shown": ["unregistered_key", {
    key: stranger,
    headers: told,
  }],
  "an unregistered key": ["unregistered_key_or_nonce", { key: stranger }],
  "another nonce": ["unregistered_key_or_nonce", {
    parts: () => ({ nonce: crypto.randomUUID() }),
  }],
  "a clock that is 400 seconds off": ["correct", {
    parts: () => ({ timestamp: String(nowSeconds() - 400) }),
    headers: () => ({ "X-Timestamp": String(nowSeconds() - 400) }),
    code: "timestamp_out_of_window",
  }],
};

/** The headers of a probe that makes the mistake, and what was to be signed. */
function probe(mistake: Mistake) {
  const right: Parts = {
    method: "POST",
    url: BASE_URL + TARGET,
    bodyHash: hex(BODY),
    timestamp: String(nowSeconds()),
    nonce: crypto.randomUUID(),
    separator: "\n",
    end: "",
  };
  const of = { ...right, ...mistake.parts?.(right) };
  const lines = [of.method, of.url, of.bodyHash, of.timestamp, of.nonce].join(of.separator);
  const payload = mistake.payload?.(lines + of.end) ?? lines + of.end;
  const header = base64Url(mistake.header ?? HEADER);
  const input = Buffer.concat([Buffer.from(`${header}.`), Buffer.from(payload)]);
  const data = mistake.input?.(input, String(payload)) ?? input;
  const dsaEncoding = mistake.der ? "der" : "ieee-p1363";
  const key = mistake.key ?? registered;
  const signature = sign(mistake.digest ?? "sha256", Buffer.from(data), { key, dsaEncoding });
  const jws = `${header}..${signature.toString("base64url")}`;
  const headers: Record<string, string | undefined> = {
    "X-Timestamp": right.timestamp,
    "X-Nonce": right.nonce,
    "X-JWS-Signature": mistake.jws?.(jws) ?? jws,
    ...mistake.headers?.(right, String(payload)),
  };
  const expected = [
    right.method,
    right.url,
    right.bodyHash,
    headers["X-Timestamp"],
    headers["X-Nonce"],
  ];
  return { headers, expected: expected.join("\n") };
}

async function send(mistake: Mistake) {
  const { headers, expected } = probe(mistake);
  const request = write(TARGET, token, BODY);
  const all = Object.entries({ ...Object.fromEntries(request.headers), ...headers })
    .filter((one): one is [string, string] => one[1] !== undefined);
  // Each mistake comes alone: what limits diagnoses is tested elsewhere.
  service.clock.offsetMs += 1_000;
  return { answer: await connection.send({ ...request, headers: all }), expected };
}

test("a probe that makes no mistake is verified", async () => {
  const { answer } = await send({});
  assertEquals(answer.status, 200, answer.body);
});

for (const [name, [form, mistake]] of Object.entries(MISTAKES)) {
  test(`the probe names ${form}: ${name}`, async () => {
    const { answer, expected } = await send(mistake);
    const problem = objectOf(answer);
    const diagnosis = problem.get("diagnosis") as ReadonlyMap<string, unknown>;
    assertEquals(problem.get("code"), mistake.code ?? "signature_invalid", answer.body);
    assertEquals([answer.status, diagnosis?.get("form")], [401, form], answer.body);
    assertEquals(diagnosis.get("message"), DIAGNOSIS_MESSAGES[form]);
    const isShown = mistake.code !== "timestamp_invalid";
    assertEquals(diagnosis.get("canonical_string"), isShown ? expected : undefined);
    assert(!String(problem.get("detail")).includes("signed-probe"), "the detail leads back here");
  });
}

test("every name of a mistake is met here", () => {
  const met = new Set(Object.values(MISTAKES).map(([form]) => form));
  assertEquals([...met].sort(), [...DIAGNOSIS_FORMS].sort());
});
