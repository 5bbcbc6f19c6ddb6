import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { signDetached } from "@sabika/protocol";
import { openRaw, type RawRequest, sendRaw } from "../../../test/support/raw_https.ts";
import { codeOf } from "../../../test/support/answers.ts";
import { BASE_URL, read, signed, write } from "../../../test/support/service_requests.ts";
import { startTestService } from "../../../test/support/test_service.ts";

// Header and path variants of faults F33, F34, F36, F43 to F46 and F64, on real requests.

const service = await startTestService();
const [bank] = service.partners;
const token = await service.token(bank);
const connection = await openRaw(service.caller(bank));
after(() => {
  connection.close();
  return service.close();
});
const PROBE = "/v1/signed-probe";
const nowSeconds = () => Math.floor(Date.now() / 1000);

async function codeFor(request: RawRequest | Promise<RawRequest>): Promise<string> {
  return codeOf(await connection.send(await request));
}

/** A probe whose headers are signed as they are, whatever their form. */
async function probe(
  headers: { timestamp?: string; nonce?: string; protected?: string },
): Promise<RawRequest> {
  const right = await signed(bank, PROBE, token, "");
  const timestamp = headers.timestamp ?? String(nowSeconds());
  const nonce = headers.nonce ?? crypto.randomUUID();
  const hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const jws = await signDetached(
    `POST\n${BASE_URL}${PROBE}\n${hash}\n${timestamp}\n${nonce}`,
    bank.signingKey,
  );
  const all = {
    ...Object.fromEntries(right.headers),
    "x-timestamp": timestamp,
    "x-nonce": nonce,
    "x-jws-signature": jws,
  };
  return { ...right, headers: Object.entries(all) };
}

test("a nonce has 16 to 128 visible ASCII characters (F33)", async () => {
  for (const nonce of ["!".repeat(16), 'a,b;c="d"%20{|}~', "n".repeat(128)]) {
    assertEquals(await codeFor(probe({ nonce: nonce })), "ok", nonce);
  }
  for (
    const nonce of [
      "n".repeat(15),
      "n".repeat(129),
      "n".repeat(256),
      "n n n n n n n n n",
      "nnnnnnnn\tnnnnnnnn",
      "nnnnnnnnnnnnnnn\u00e9",
      "\u00f0\u009f\u0098\u0080nnnnnnnnnnnnnnnn",
    ]
  ) assertEquals(await codeFor(probe({ nonce })), "nonce_invalid", JSON.stringify(nonce));
});

test("a timestamp is digits, and within 300 s inclusive (F34)", async () => {
  // The second may turn while a request is on its way, so the borders leave one second.
  for (const skew of [-299, 0, 299]) {
    assertEquals(await codeFor(probe({ timestamp: String(nowSeconds() + skew) })), "ok", `${skew}`);
  }
  for (const skew of [-302, 302]) {
    const timestamp = String(nowSeconds() + skew);
    assertEquals(await codeFor(probe({ timestamp })), "timestamp_out_of_window");
  }
  for (
    const timestamp of [
      "1e9",
      "+1795167000",
      "-1795167000",
      "01795167000",
      "1795167000.0",
      "0",
      "",
      "9007199254740992",
      String(Date.now()),
      "0x6b000000",
      "1795167000,1795167000",
    ]
  ) {
    const sent = await probe({});
    const headers = sent.headers.map(([name, value]) =>
      [name, name === "x-timestamp" ? timestamp : value] as const
    );
    assertEquals(await codeFor({ ...sent, headers }), "timestamp_invalid", timestamp);
  }
});

test("an Idempotency-Key has 1 to 255 visible ASCII characters (F36)", async () => {
  const codeOfKey = (key: string) =>
    codeFor(
      write("/v1/quotes", token, '{"side":"buy","gold_grams":1}', { "Idempotency-Key": key }),
    );
  for (const key of ["k", "k".repeat(255), '"quoted"', "a,b", "%20"]) {
    assertEquals(await codeOfKey(key), "ok", key);
  }
  for (
    const key of ["", "k".repeat(256), "k".repeat(10_000), "a b", "a\tb", "\u00e9", "e\u00cc\u0081"]
  ) {
    assertEquals(await codeOfKey(key), "idempotency_key_invalid", key.slice(0, 20));
  }
});

test("a header that is given twice is refused, whichever it is", async () => {
  for (
    const name of [
      "Authorization",
      "Idempotency-Key",
      "x-nonce",
      "X-Timestamp",
      "X-JWS-Signature",
      "Content-Type",
      "X-Whatever",
    ]
  ) {
    const request = await signed(bank, "/v1/orders", token, '{"quote_id":"x"}');
    const [, value = "x"] = request.headers.find(([one]) =>
      one.toLowerCase() === name.toLowerCase()
    ) ?? [];
    const headers = [...request.headers, [name, value] as const];
    const twice = name === "X-Whatever" ? [...headers, [name, value] as const] : headers;
    assertEquals(await codeFor({ ...request, headers: twice }), "duplicate_header", name);
  }
});

test("a protected header has exactly alg, b64, crit and perhaps kid (F43, F44)", async () => {
  const base64Url = (text: string) =>
    btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const request = await signed(bank, PROBE, token, "x");
  const signature = request.headers.find(([name]) => name === "x-jws-signature")![1].split("..")[1];
  const right = { alg: "ES256", b64: false, crit: ["b64"] };
  const headers = [
    JSON.stringify({ ...right, alg: "none" }),
    JSON.stringify({ ...right, alg: "HS256" }),
    JSON.stringify({ ...right, alg: "ES384" }),
    JSON.stringify({ ...right, alg: "es256" }),
    JSON.stringify({ ...right, alg: 256 }),
    JSON.stringify({ b64: false, crit: ["b64"] }),
    JSON.stringify({ ...right, b64: true }),
    JSON.stringify({ ...right, b64: "false" }),
    JSON.stringify({ alg: "ES256", crit: ["b64"] }),
    JSON.stringify({ alg: "ES256", b64: false }),
    JSON.stringify({ ...right, crit: [] }),
    JSON.stringify({ ...right, crit: ["b64", "b64"] }),
    JSON.stringify({ ...right, crit: ["exp"] }),
    JSON.stringify({ ...right, crit: "b64" }),
    JSON.stringify({ ...right, jwk: {} }),
    JSON.stringify({ ...right, x5u: "https://evil.example" }),
    '{"alg":"ES256","b64":false,"crit":["b64"],"alg":"ES256"}',
    '\u00ef\u00bb\u00bf{"alg":"ES256","b64":false,"crit":["b64"]}',
    "not json",
    JSON.stringify({ ...right, kid: "x".repeat(8_000) }),
  ];
  for (const header of headers) {
    const jws = `${base64Url(header)}..${signature}`;
    const changed = request.headers.map(([name, value]) =>
      [name, name === "x-jws-signature" ? jws : value] as const
    );
    assertEquals(await codeFor({ ...request, headers: changed }), "signature_malformed", header);
  }
});

test("a signature is 64 bytes of canonical base64url, in range (F45)", async () => {
  const request = await signed(bank, PROBE, token, "x");
  const jws = request.headers.find(([name]) => name === "x-jws-signature")![1];
  const [header, signature] = jws.split("..") as [string, string];
  const zeros = "A".repeat(86);
  const changes: [string, string][] = [
    [`${header}..${signature.slice(0, -1)}`, "signature_malformed"],
    [`${header}..${signature}AA`, "signature_malformed"],
    [`${header}..${signature}==`, "signature_malformed"],
    [`${header}..${zeros}`, "signature_malformed"],
    [`${header}..${"_".repeat(85)}w`, "signature_malformed"],
    [`${header}.e30.${signature}`, "signature_malformed"],
    [`${header}..${signature}.`, "signature_malformed"],
    [`${header}.${signature}`, "signature_malformed"],
    [`${header}..+${signature.slice(1)}`, "signature_malformed"],
    [`${header}..${signature.slice(0, 40)} ${signature.slice(41)}`, "signature_malformed"],
    [
      `${header}..${signature.slice(1, 44)}${signature[0]}${signature.slice(44)}`,
      "signature_invalid",
    ],
  ];
  for (const [changed, code] of changes) {
    const headers = request.headers.map(([name, value]) =>
      [name, name === "x-jws-signature" ? changed : value] as const
    );
    assertEquals(await codeFor({ ...request, headers }), code, changed.slice(-90));
  }
});

test("any change after signing is detected (F46)", async () => {
  const target = `${PROBE}?a=1&B=2`;
  const request = await signed(bank, target, token, '{"a":1}');
  const as = (change: Partial<RawRequest>) => codeFor({ ...request, ...change });
  const header = (name: string, value: string) => ({
    headers: request.headers.map(([one, old]) => [one, one === name ? value : old] as const),
  });
  const signature = "signature_invalid";
  assertEquals(await as({ target: `${PROBE}?B=2&a=1` }), signature);
  assertEquals(await as({ target: `${PROBE}?a=1&b=2` }), signature);
  assertEquals(await as({ target: PROBE }), signature);
  assertEquals(await as({ body: new TextEncoder().encode('{"a":2}') }), signature);
  assertEquals(await as({ body: new TextEncoder().encode('{"a": 1}') }), signature);
  assertEquals(await as(header("x-timestamp", String(nowSeconds() - 7))), signature);
  assertEquals(await as(header("x-nonce", crypto.randomUUID())), signature);
  // None of these spent the nonce: the right request still passes, once.
  assertEquals(await as({}), "ok");
  assertEquals(await as({}), "nonce_reused");
});

test("a request whose signature is wrong does not spend its nonce (F35)", async () => {
  const nonce = crypto.randomUUID();
  assertEquals(
    await codeFor(signed(bank, PROBE, token, "x", { nonce, url: "/x" })),
    "signature_invalid",
  );
  assertEquals(await codeFor(signed(bank, PROBE, token, "x", { nonce })), "ok");
});

test("a path that a library would rewrite leads nowhere (F64)", async () => {
  for (
    const target of [
      "/v1/./orders",
      "/v1/../v1/orders",
      "//v1/orders",
      "/v1/%6Frders",
      "/v1/orders/",
      "/v1/orders;x",
      "/v1%2Forders",
      "/V1/orders",
      "/v1/..;/orders",
      "/v1/orders%00",
      "/v1/orders/../orders",
    ]
  ) {
    const answer = await connection.send(
      await signed(bank, target, token, '{"quote_id":"x"}'),
    );
    assertEquals([answer.status, codeOf(answer)], [404, "not_found"], target);
    assert(answer.headers.has("x-request-id"));
  }
  for (const target of ["*", "v1/orders", "/v1\\orders", "https://sabika.test/v1/orders"]) {
    // The connection ends with some of these.
    const answer = await sendRaw(service.caller(bank), await signed(bank, target, token, "{}"));
    assert([400, 404].includes(answer.status), `${target} ${answer.status}`);
    assert(answer.headers.has("x-request-id"), target);
  }
});

test("queries are signed byte for byte, even broken escapes and a lone ?", async () => {
  for (const query of ["?", "?%zz", "?a=%6F&a=%6f", "?x=http://a/../b", "?'\"<>|{}"]) {
    assertEquals(await codeFor(signed(bank, PROBE + query, token, "x")), "ok", query);
  }
});

test("a read needs only its token", async () => {
  assertEquals(await codeFor(read("/v1/balances", token)), "ok");
});
