import { assert, assertEquals, assertMatch } from "@std/assert";
import { after, test } from "node:test";
import { EDGE_SECRET, startEdge } from "../../test/support/edge/edge.ts";
import { rawCall, requestText } from "../../test/support/edge/raw_call.ts";
import type { Arrived } from "../../test/support/edge/upstream.ts";
import { each } from "../../test/support/each.ts";

const FORGED = "f".repeat(64);

// The caller's identity, as a real Envoy reports it to the service.

const edge = await startEdge();
after(edge.close);

const arrives = async (headers: string[], body = "{}"): Promise<Arrived> => {
  const answer = await rawCall(edge, requestText("POST", "/v1/orders", headers, body));
  assertEquals(answer.status, 200, answer.text);
  return JSON.parse(answer.body);
};
const values = (arrived: Arrived, name: string) =>
  arrived.headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);

const forgeries: Record<string, string[]> = {
  "one line": [`X-Forwarded-Client-Cert: Hash=${FORGED}`],
  "two lines": [
    `X-Forwarded-Client-Cert: Hash=${FORGED}`,
    `x-forwarded-client-cert: Hash=${FORGED}`,
  ],
  "joined by a comma": [`X-Forwarded-Client-Cert: Hash=${FORGED},Hash=${FORGED}`],
  "a lower-case key": [`X-Forwarded-Client-Cert: hash=${FORGED}`],
  "named in Connection": [
    "Connection: close, x-forwarded-client-cert",
    `X-Forwarded-Client-Cert: Hash=${FORGED}`,
  ],
  "an empty line": ["X-Forwarded-Client-Cert:"],
};
for (const [name, headers] of Object.entries(forgeries)) {
  test(`Envoy replaces a forged certificate hash: ${name} (F60)`, async () => {
    const arrived = await arrives(headers);
    assertEquals(values(arrived, "x-forwarded-client-cert"), [`Hash=${edge.partner.hashHex}`]);
  });
}

test("Envoy drops a forged certificate hash in trailers (F60)", async () => {
  const answer = await rawCall(
    edge,
    "POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n" +
      `Trailer: x-forwarded-client-cert\r\n\r\n2\r\n{}\r\n0\r\nx-forwarded-client-cert: Hash=${FORGED}\r\n\r\n`,
  );
  assertEquals(answer.status, 200);
  const arrived: Arrived = JSON.parse(answer.body);
  assertEquals(arrived.body, "{}");
  assertEquals(values(arrived, "x-forwarded-client-cert"), [`Hash=${edge.partner.hashHex}`]);
  assertEquals(JSON.stringify(arrived).includes(FORGED), false);
});

test("Envoy refuses header names with underscores, which some servers read as hyphens (F60)", async () => {
  const before = edge.upstream.arrived.length;
  const headers = [`x_forwarded_client_cert: Hash=${FORGED}`];
  const answer = await rawCall(edge, requestText("GET", "/health", headers));
  assertEquals(answer.status, 400);
  assertEquals(JSON.parse(answer.body).code, "malformed_request");
  assertEquals(edge.upstream.arrived.length, before);
});

test("Envoy replaces a caller's own edge secret and peer address", async () => {
  const arrived = await arrives([
    "x-sabika-edge: a-secret-of-the-caller-0123456789abcdefg",
    "X-Sabika-Peer-Address: 10.1.2.3",
  ]);
  assertEquals(values(arrived, "x-sabika-edge"), [EDGE_SECRET]);
  assertEquals(values(arrived, "x-sabika-peer-address"), ["127.0.0.1"]);
});

test("Envoy forwards no header with which a caller could pose as a proxy or steer Envoy (F62)", async () => {
  const names = each(`
    X-Forwarded-For X-Forwarded-Host X-Forwarded-Port X-Forwarded-Proto Forwarded X-Real-IP
    True-Client-IP Client-Cert Client-Cert-Chain X-Original-URL X-Rewrite-URL
    X-HTTP-Method-Override X-Envoy-Original-Dst-Host X-Envoy-Retry-On X-Envoy-Max-Retries
    X-Envoy-Internal X-Envoy-Original-Path X-Envoy-Upstream-Rq-Timeout-Ms
    X-Envoy-External-Address`);
  const arrived = await arrives(names.map((name) => `${name}: 6.6.6.6`));
  const allowed = new Set(
    each(
      "host content-length x-request-id x-forwarded-client-cert x-sabika-edge x-sabika-peer-address",
    ),
  );
  assertEquals(arrived.headers.map(([name]) => name).filter((name) => !allowed.has(name)), []);
  assertEquals(JSON.stringify(arrived).includes("6.6.6.6"), false);
});

test("Envoy makes the request's id itself, and leaves the id in the service's answer unchanged", async () => {
  const text = requestText("GET", "/health", ["X-Request-Id: mine"]);
  const answer = await rawCall(edge, text);
  const arrived: Arrived = JSON.parse(answer.body);
  const [id] = values(arrived, "x-request-id");
  assertMatch(id ?? "", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assertEquals(answer.headers.get("x-request-id"), `req_${id}`);
});

// Two lines of one name stay two, so that the service can refuse them.
const FORWARDED: Record<string, string[]> = {
  traceparent: ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
  tracestate: ["a=b"],
  "x-nonce": ["a", "b"],
  "idempotency-key": ["a", "b"],
};
test("Envoy forwards trace headers unchanged, and two lines of one name as two", async () => {
  const lines = Object.entries(FORWARDED).flatMap(([name, sent]) =>
    sent.map((value) => `${name}: ${value}`)
  );
  const arrived = await arrives(lines);
  for (const [name, sent] of Object.entries(FORWARDED)) assertEquals(values(arrived, name), sent);
});

test("Envoy keeps every secret out of its logs, its admin and its statistics (F71)", async () => {
  const secrets = each("token-kF81 signature-kF82 nonce-kF83 key-kF84 body-kF85 query-kF86");
  const [token, signature, nonce, key, body, query] = secrets;
  const headers = [
    `Authorization: Bearer ${token}`,
    `X-JWS-Signature: ${signature}`,
    `X-Nonce: ${nonce}`,
    `Idempotency-Key: ${key}`,
    "User-Agent: a\x1b[31mred",
  ];
  await rawCall(edge, requestText("POST", `/v1/orders?a=${query}`, headers, body));
  await rawCall(edge, requestText("POST", `/v1/%6Frders?a=${query}`, headers, body));
  const output = await edge.readAllOutput();
  assert(output.includes('"path":"/v1/orders"'), "the access log has the path");
  for (const secret of [...secrets, EDGE_SECRET, "PRIVATE KEY", "\x1b"]) {
    assertEquals(output.includes(secret!), false, `${secret} is there`);
  }
});
