import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { openRaw, type RawRequest, sendRaw } from "../../../test/support/raw_https.ts";
import { codeOf } from "../../../test/support/answers.ts";
import { signed } from "../../../test/support/service_requests.ts";
import { startTestService } from "../../../test/support/test_service.ts";

// Header and path variants of faults F33 to F36, F43 to F46 and F64, each once on real requests. All
// forms are in packages/protocol and packages/jws.

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

/** The request with another value of a header. */
const withHeader = (request: RawRequest, name: string, value: string): RawRequest => ({
  ...request,
  headers: request.headers.map((header) => header[0] === name ? [name, value] : header),
});

test("a header that is not as its rule says is refused by its own code", async () => {
  const right = await signed(bank, "/v1/orders", token, '{"quote_id":"x"}');
  const jws = right.headers.find(([name]) => name === "x-jws-signature")![1];
  const [segment, signature] = jws.split("..") as [string, string];
  const underHeader = (header: string) => `${btoa(header).replaceAll("=", "")}..${signature}`;
  const KID = `{"alg":"ES256","b64":false,"crit":["b64"],"kid":"${"x".repeat(8_000)}"}`;
  for (
    const [name, value, code] of [
      ["x-nonce", "n".repeat(15), "nonce_invalid"], // F33
      ["x-nonce", "nnnnnnnnnnnnnnn\u00e9", "nonce_invalid"],
      ["x-timestamp", "1795167000.0", "timestamp_invalid"], // F34
      ["x-timestamp", String(nowSeconds() - 302), "timestamp_out_of_window"],
      ["x-timestamp", String(nowSeconds() + 302), "timestamp_out_of_window"],
      ["Idempotency-Key", "", "idempotency_key_invalid"], // F36
      ["Idempotency-Key", "k".repeat(10_000), "idempotency_key_invalid"],
      ["x-jws-signature", underHeader('{"alg":"none"}'), "signature_malformed"], // F43
      ["x-jws-signature", underHeader(KID), "signature_malformed"], // F44
      ["x-jws-signature", `${segment}..${"A".repeat(86)}`, "signature_malformed"], // F45
      ["x-jws-signature", `${segment}.e30.${signature}`, "signature_malformed"],
    ] as const
  ) {
    assertEquals([name, await codeFor(withHeader(right, name, value))], [name, code], value);
  }
});

test("a header that is given twice is refused, whichever it is", async () => {
  const { headers, ...rest } = await signed(bank, "/v1/orders", token, '{"quote_id":"x"}');
  const all = [...headers, ["X-Whatever", "x"] as const].filter(([name]) => name !== "Host");
  for (const [name, value] of all) {
    const twice = [["Host", "sabika.test"], ...all, [name.toUpperCase(), value]] as const;
    assertEquals(await codeFor({ ...rest, headers: twice }), "duplicate_header", name);
  }
});

test("what is changed after signing is refused and spends no nonce (F35, F46)", async () => {
  const target = `${PROBE}?a=1&B=2`;
  const request = await signed(bank, target, token, '{"a":1}');
  for (
    const changed of [
      { ...request, target: `${PROBE}?B=2&a=1` },
      { ...request, body: new TextEncoder().encode('{"a": 1}') },
      withHeader(request, "x-timestamp", String(nowSeconds() - 7)),
      withHeader(request, "x-nonce", crypto.randomUUID()),
    ]
  ) {
    assertEquals(await codeFor(changed), "signature_invalid");
  }
  assertEquals(await codeFor(request), "ok");
  assertEquals(await codeFor(request), "nonce_reused");
});

test("a path that a library would rewrite leads nowhere (F64)", async () => {
  for (const target of ["/v1/../v1/orders", "//v1/orders", "/v1/%6Frders", "/V1/orders"]) {
    const answer = await connection.send(await signed(bank, target, token, '{"quote_id":"x"}'));
    assertEquals([answer.status, codeOf(answer)], [404, "not_found"], target);
  }
  for (const target of ["*", "v1/orders", "https://sabika.test/v1/orders"]) {
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
