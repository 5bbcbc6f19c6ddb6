import { after, test } from "node:test";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { assert, assertEquals } from "@std/assert";
import { createTestAuthority } from "../../../test/support/test_certificates.ts";
import { startTestReceiver } from "../../../test/support/webhook_receiver.ts";
import { connectEndpoint, trustAuthorities } from "./post_webhook.ts";

/** The time limit of attempts that are to exceed it. */
const SHORT_MS = 300;
const TIMEOUT_MS = 60_000;
/** How much of an answer's body is read. */
const DRAINED_BYTES = 16_384;
const BODY = new TextEncoder().encode('{"name":"سبيكة"}');

const authority = await createTestAuthority();
const certificate = await authority.issue({ dns: ["hook.example.com"], ip: ["127.0.0.1"] });
const trust = trustAuthorities(authority.certificatePem);
const closing: (() => void | Promise<void>)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

/** Opens a receiver, and a connection to it. */
async function open({ hostname = "hook.example.com", ...options }: {
  hostname?: string;
  trust?: typeof trust;
  timeoutMs?: number;
} = {}) {
  const receiver = await startTestReceiver(certificate);
  const connection = connectEndpoint({
    url: new URL(`https://${hostname}:${receiver.port}/hook?to=us`),
    hostname,
    addresses: [{ address: "127.0.0.1", family: 4 }],
    trust,
    timeoutMs: TIMEOUT_MS,
    maxSockets: 1,
    ...options,
  });
  closing.push(receiver.close, connection.close);
  return { receiver, connection, address: `127.0.0.1:${receiver.port}` };
}

test("post() sends headers and body to the path, for the name, over one connection", async () => {
  for (const [hostname, named] of [["hook.example.com", "hook.example.com"], ["127.0.0.1", ""]]) {
    const { receiver, connection, address } = await open({ hostname: hostname! });
    let servername: string | false | null | undefined;
    receiver.behave = () => ({ socket }, response) => {
      servername = (socket as TLSSocket).servername;
      response.writeHead(429, { "retry-after": "7" }).end();
    };
    const results = await Promise.all([1, 2].map((n) => connection.post({ n: `${n}` }, BODY)));
    assertEquals(
      results,
      [1, 2].map(() => ({
        kind: "answered",
        status: 429,
        retryAfter: "7",
        address,
      })),
    );
    const [first, second] = receiver.received;
    assertEquals([first!.method, first!.path, first!.body], [
      "POST",
      "/hook?to=us",
      new TextDecoder().decode(BODY),
    ]);
    assertEquals([first!.headers.n, second!.headers.n], ["1", "2"]);
    assertEquals(first!.headers.host, `${hostname}:${receiver.port}`);
    assertEquals(first!.headers["content-length"], String(BODY.length));
    assertEquals([servername || "", receiver.connections], [named, 1]);
  }
});

test("post() trusts no certificate of an authority that was not named", async () => {
  const { receiver, connection } = await open({ trust: trustAuthorities(undefined) });
  const result = await connection.post({}, BODY);
  assert(result.kind === "failed" && /CERT|ISSUER|UNABLE/.test(result.reason));
  assertEquals(receiver.received, []);
});

test("post() ends the connection when there is no answer in time, or none of HTTP", async () => {
  const cases: [string, (request: IncomingMessage) => unknown][] = [
    ["timed out", () => {}],
    [
      "not an answer",
      ({ socket }) =>
        socket.write(
          "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
        ),
    ],
  ];
  for (const [reason, answer] of cases) {
    const { receiver, connection, address } = await open({ timeoutMs: SHORT_MS });
    let closed: Promise<unknown> | undefined;
    receiver.behave = () => (request) => {
      closed = once(request.socket, "close");
      answer(request);
    };
    assertEquals(await connection.post({}, BODY), { kind: "failed", reason, address });
    await closed;
  }
});

test("post() tries again once, and only over a connection that had answered", async () => {
  const { receiver, connection } = await open();
  const hangUp = () => (request: IncomingMessage) => request.socket.destroy();
  receiver.behave = hangUp;
  assertEquals((await connection.post({}, BODY)).kind, "failed");
  assertEquals(receiver.received.length, 1, "the first one was not kept");
  receiver.behave = () => ({ status: 204 });
  assertEquals((await connection.post({}, BODY)).kind, "answered");
  receiver.behave = hangUp;
  assertEquals((await connection.post({}, BODY)).kind, "failed");
  assertEquals(receiver.received.length, 4);
  assertEquals((await connection.post({}, BODY)).kind, "failed");
  assertEquals(receiver.received.length, 5);
});

test("a connection is used again after 16 KiB of an answer's body, and closed after more", async () => {
  for (const [length, connections] of [[DRAINED_BYTES, 1], [DRAINED_BYTES + 1, 2]]) {
    const { receiver, connection } = await open();
    receiver.behave = () => ({ status: 200, body: "x".repeat(length!) });
    for (let n = 0; n < 2; n++) assertEquals((await connection.post({}, BODY)).kind, "answered");
    assertEquals(receiver.connections, connections, `${length} bytes`);
  }
});

test("an answer whose body does not end is cut off after a second, not by the time limit", async () => {
  const { receiver, connection } = await open({ timeoutMs: SHORT_MS });
  let closed: Promise<unknown> | undefined;
  receiver.behave = () => ({ socket }, response) => {
    closed = once(socket, "close");
    response.writeHead(200).write("x");
  };
  assertEquals((await connection.post({}, BODY)).kind, "answered");
  const answeredMs = performance.now();
  await closed;
  assert(performance.now() - answeredMs > 900);
});

test("close() ends a connection that is kept", async () => {
  const { receiver, connection } = await open();
  let closed: Promise<unknown> | undefined;
  receiver.behave = () => ({ socket }, response) => {
    closed = once(socket, "close");
    response.writeHead(204).end();
  };
  await connection.post({}, BODY);
  connection.close();
  const closedMs = performance.now();
  await closed;
  assert(performance.now() - closedMs < 4_000, "the receiver closes it after five seconds");
});
