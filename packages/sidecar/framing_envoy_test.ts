import { assert, assertEquals } from "@std/assert";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import {
  H2C_SETTINGS,
  HOST,
  MALFORMED_REQUESTS,
  REFUSED_BY_THE_EDGE,
  upgradeOf,
} from "../../test/support/malformed_requests.ts";
import { startEdge } from "../../test/support/edge/edge.ts";
import { openTls, rawCall, requestText } from "../../test/support/edge/raw_call.ts";
import type { Arrived } from "../../test/support/edge/upstream.ts";
import { each } from "../../test/support/each.ts";

const SMUGGLED = `POST /v1/withdrawals HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n{}`;

// Framing, paths and sizes through a real Envoy.

const edge = await startEdge();
after(edge.close);

// Each of these is followed by a second request, which must never be carried out.
const malformed = { ...MALFORMED_REQUESTS, ...REFUSED_BY_THE_EDGE };
test("Envoy refuses what can be read in two ways, and closes the connection whatever the caller does (F63)", async () => {
  edge.upstream.arrived.length = 0;
  await Promise.all(
    Object.entries(malformed).map(async ([name, text]) => {
      const answer = await rawCall(edge, text + SMUGGLED, { quietMs: 6_000 });
      assertEquals([answer.status, answer.closed], [400, true], `${name}: ${answer.text}`);
      assertEquals(answer.headers.get("content-type"), "application/problem+json");
      assertEquals(answer.headers.get("connection"), "close");
      assertEquals(JSON.parse(answer.body).code, "malformed_request");
    }),
  );
  assertEquals(edge.upstream.arrived, []);
});

// Envoy's HTTP/1 codec repairs these three before any filter sees them, as RFC 9112 §2.2 and §5.2 and
// RFC 9110 §7.8 allow. So the answer is not 4xx, but nothing is smuggled.
test("Envoy reads a folded line as one value, and not as another header (F63)", async () => {
  edge.upstream.arrived.length = 0;
  const folded = `GET /health HTTP/1.1\r\n${HOST}A: b\r\n X-Nonce: folded\r\n\r\n`;
  assertEquals((await rawCall(edge, folded)).status, 200);
  const [arrived] = edge.upstream.arrived;
  assertEquals(arrived?.headers.find(([name]) => name === "a"), ["a", "b X-Nonce: folded"]);
  assertEquals(arrived?.headers.some(([name]) => name === "x-nonce"), false);
});

test("Envoy reads a bare line feed as the end of a line, and forwards lines that end in CRLF (F63)", async () => {
  edge.upstream.arrived.length = 0;
  const bare = `GET /health HTTP/1.1\n${HOST.replace("\r", "")}A: b\nC: d\n\n`;
  assertEquals((await rawCall(edge, bare)).status, 200);
  const headers = edge.upstream.arrived.flatMap(({ headers }) => headers);
  assertEquals(headers.filter(([name]) => name === "a" || name === "c"), [["a", "b"], ["c", "d"]]);
  assertEquals(edge.upstream.arrived.length, 1);
});

test("Envoy does not switch to h2c: the request stays HTTP/1.1, and its early data is refused (F63)", async () => {
  edge.upstream.arrived.length = 0;
  const upgrade = upgradeOf("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", H2C_SETTINGS);
  const early = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + SMUGGLED;
  const answer = await rawCall(edge, upgrade + early, { quietMs: 6_000 });
  assertEquals(answer.text.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 200", "HTTP/1.1 400"]);
  assertEquals(answer.closed, true);
  assertEquals(edge.upstream.arrived.map(({ target }) => target), ["/health"]);
  const names = edge.upstream.arrived[0]?.headers.map(([name]) => name) ?? [];
  assertEquals(names.filter((name) => /upgrade|connection|http2/.test(name)), []);
});

test("Envoy keeps or closes a connection as its caller asks, and keeps pipelined requests in order", async () => {
  const close = await rawCall(edge, requestText("GET", "/health", ["Connection: close"]), {
    quietMs: 6_000,
  });
  assertEquals([close.status, close.headers.get("connection"), close.closed], [200, "close", true]);
  edge.upstream.arrived.length = 0;
  const targets = ["/health?1", "/health?2"];
  const both = targets.map((target) => requestText("GET", target, ["Connection: keep-alive"]));
  const kept = await rawCall(edge, both.join(""), { quietMs: 150 });
  assertEquals(kept.text.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 200", "HTTP/1.1 200"]);
  assertEquals(edge.upstream.arrived.map(({ target }) => target), targets);
});

const targets = each(String.raw`
  /v1/orders /v1/orders? /v1/orders?a=%zz&b=%2F..%2f&&=? /v1/orders/ord_0-1.2~3_x
  /v1/statements/2026-11-20 /v1/withdrawals /v1/quotes /v1/signed-probe /sandbox/fund
  /health /oauth/token /oauth/revoke /.well-known/jwks.json
  /.well-known/oauth-authorization-server`).concat("/v1/prices?q=a+b;c,d'(e)*!@:$/|\\^`{}[]<>");
for (const target of targets) {
  test(`Envoy forwards ${target} byte for byte (F64)`, async () => {
    const answer = await rawCall(edge, requestText("POST", target, [], "{}"));
    assertEquals(answer.status, 200, answer.text);
    assertEquals(JSON.parse(answer.body).target, target);
  });
}

const refused = each(String.raw`
  /v1/./orders /v1/../v1/orders //v1/orders /v1//orders /v1/%6Frders /v1/orders/ /v1/orders;x
  /v1%2Forders /v1%5Corders /V1/orders /v1/..;/orders /v1\orders /v1/orders%00 /v1/.hidden
  / /metrics /admin/v1/me /live /ready /admin /v2/orders /v1 /health/ /Health /oauth/token/
  /.well-known/ /.well-known/../v1/orders * v1/orders /v1/orders,x /v1/orders%20 /v1/ordérs
  /v1/or:ders`);
for (const target of refused) {
  test(`Envoy does not forward ${JSON.stringify(target)} (F64)`, async () => {
    edge.upstream.arrived.length = 0;
    const answer = await rawCall(edge, requestText("POST", target, [], "{}"));
    assert(answer.status === 404 || answer.status === 400, answer.text);
    const { code, status, request_id } = JSON.parse(answer.body);
    assertEquals(code, status === 404 ? "not_found" : "malformed_request");
    assertEquals(answer.headers.get("x-request-id"), request_id);
    assertEquals(edge.upstream.arrived, []);
  });
}

test("Envoy refuses a host that is not its own, and two Host lines", async () => {
  const other = await rawCall(edge, "GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  assertEquals(other.status, 404);
  const two = await rawCall(edge, `GET /health HTTP/1.1\r\n${HOST}Host: evil.example\r\n\r\n`);
  assert(two.status === 404 || two.status === 400);
});

test("Envoy lets a body of 65,536 bytes pass, with its length if chunked, and no byte more (F65)", async () => {
  const chunked = ["POST /v1/orders HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked"];
  const inChunks = (...lengths: number[]) =>
    [...lengths, 0].reduce(
      (text, length) => `${text}${length.toString(16)}\r\n${"x".repeat(length)}\r\n`,
      `${chunked.join("\r\n")}\r\n\r\n`,
    );
  const whole = (length: number) => requestText("POST", "/v1/orders", [], "x".repeat(length));
  for (const request of [whole(65_536), inChunks(32_768, 32_768)]) {
    const passes = await rawCall(edge, request);
    assertEquals(passes.status, 200);
    const { body, headers } = JSON.parse(passes.body) as Arrived;
    assertEquals([body, new Map(headers).get("content-length")], ["65536 bytes", "65536"]);
  }
  edge.upstream.arrived.length = 0;
  for (const request of [whole(65_537), inChunks(32_768, 32_769)]) {
    const refusal = await rawCall(edge, request);
    assertEquals([refusal.status, JSON.parse(refusal.body).code], [413, "payload_too_large"]);
  }
  assertEquals(edge.upstream.arrived, []);
});

test("Envoy answers 413 to 1 GB in chunks and to 1,000,000 keys, and its memory stays flat (F65)", async () => {
  const memory = async () => {
    const text = await readFile(`/proc/${edge.envoy.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024;
  };
  edge.upstream.arrived.length = 0;
  const before = await memory();
  const head = `POST /v1/orders HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`;
  const megabyte = new TextEncoder().encode(`100000\r\n${"x".repeat(0x100000)}\r\n`);
  // Eight callers at once, each of which tries to send 1 GB.
  const endless = await Promise.all(Array.from({ length: 8 }, async () => {
    const socket = await openTls(edge, edge.partner);
    let answer = "";
    let sent = 0;
    socket.on("data", (bytes: Uint8Array) => answer += new TextDecoder().decode(bytes));
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    socket.write(head);
    while (sent < 1024 && !socket.destroyed) {
      sent++;
      if (!socket.write(megabyte)) {
        await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
      }
    }
    socket.destroy();
    return { answer: answer.slice(0, 12), sent };
  }));
  for (const { answer, sent } of endless) {
    // A caller that goes on sending may lose the answer with the connection, but is not read to the end.
    assert(answer === "HTTP/1.1 413" || answer === "", answer);
    assert(sent < 1024, `${sent} MB were taken`);
  }
  const keys = `{${Array.from({ length: 1_000_000 }, (_, n) => `"k${n}":1`).join(",")}}`;
  // The beginning of the 12 MB, after which the caller waits for the answer.
  const begun = requestText("POST", "/v1/orders", [], keys).slice(0, 200_000);
  const refusal = await rawCall(edge, begun);
  assertEquals([refusal.status, JSON.parse(refusal.body).code], [413, "payload_too_large"]);
  assertEquals(edge.upstream.arrived, []);
  const grown = await memory() - before;
  assert(grown < 24, `${grown} MB more`);
});

test("Envoy answers too many or too long headers with 431", async () => {
  const many = Array.from({ length: 70 }, (_, n) => `a${n}: b`);
  for (const headers of [many, [`a: ${"x".repeat(17_000)}`]]) {
    const answer = await rawCall(edge, requestText("GET", "/health", headers));
    assertEquals(answer.status, 431, answer.text);
    assertEquals(JSON.parse(answer.body).code, "headers_too_large");
  }
});

test("every refusal of Envoy has all members of a problem, and a request's id", async () => {
  const answer = await rawCall(edge, requestText("POST", "/v1/orders/?secret=1", [], "{}"));
  const problem = JSON.parse(answer.body);
  assertEquals(Object.keys(problem).sort(), [
    "code",
    "detail",
    "instance",
    "request_id",
    "retryable",
    "status",
    "title",
    "type",
  ]);
  assertEquals(problem.instance, "/v1/orders/");
  assertEquals(problem.status, 404);
  assertEquals(problem.retryable, false);
  assertEquals(answer.headers.get("cache-control"), "no-store");
});
