import { after, test } from "node:test";
import { once } from "node:events";
import { createServer } from "node:https";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { listen } from "../../test/support/listen.ts";
import { createTestAuthority } from "../../test/support/test_certificates.ts";
import { makeTestKit } from "../../test/support/test_kit.ts";
import { createClient, openKit, SabikaError } from "./mod.ts";
import { proxyFor } from "./proxy.ts";
import type { ClientOptions } from "./mod.ts";

const HEALTHY = '{"status":"ok","environment":"sandbox","server_time":"2026-11-20T09:00:00.000Z"}';

const closing: (() => Promise<void>)[] = [];
const callers: string[] = [];
/** Until when the server waits before it answers. */
let answering = Promise.resolve();

const authority = await createTestAuthority();
const certificate = await authority.issue({ ip: ["127.0.0.1"] });
const server = createServer({
  cert: certificate.certificatePem,
  key: certificate.privateKeyPem,
  ca: authority.certificatePem,
  requestCert: true,
  rejectUnauthorized: true,
}, async (request, response) => {
  const { subject } = (request.socket as TLSSocket).getPeerCertificate();
  callers.push(String(subject.CN));
  await answering;
  response.end(HEALTHY);
});
server.on("tlsClientError", () => {});
const baseUrl = `https://127.0.0.1:${await listen(server)}`;
after(async () => {
  for (const close of closing) await close();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
});

/** Opens a client over the runtime's connection, with a kit whose files the test changes. */
async function open(
  change: Record<string, string> = {},
  options: ClientOptions = {},
  url: string = baseUrl,
) {
  const files = await makeTestKit(url, authority);
  for (const [name, text] of Object.entries(change)) await files.write(name, text);
  const kit = await openKit(files.folder);
  const client = createClient(kit, { retry: { attempts: 2, firstDelayMs: 1 }, ...options });
  closing.push(client.close);
  return { client, kit };
}

test("the client presents the kit's certificate", async () => {
  const { client } = await open();
  assertEquals((await client.health()).status, "ok");
  assertEquals(callers.at(-1), "demo");
});

test("a certificate that the server refuses is a client_certificate_required error", async () => {
  const stranger = await (await createTestAuthority()).issue({ name: "stranger" });
  const expired = await authority.issue({ name: "late", notAfterMs: Date.now() - 1_000 });
  for (const certificate of [stranger, expired]) {
    const { client, kit } = await open({
      "client.crt": certificate.certificatePem,
      "client.key": certificate.privateKeyPem,
    });
    // The second call fails for the same reason, which is remembered.
    for (let round = 0; round < 2; round++) {
      const error = await assertRejects(() => client.health(), SabikaError);
      assertEquals([error.code, error.status], ["client_certificate_required", 0]);
      assertEquals(error.retryable, false);
      assertStringIncludes(error.message, "refuses the client certificate");
      assertStringIncludes(error.message, kit.folder);
    }
  }
});

test("a server that the kit does not trust is a server_certificate_untrusted error", async () => {
  const other = await createTestAuthority();
  const { client } = await open({ "ca.crt": other.certificatePem });
  const error = await assertRejects(() => client.health(), SabikaError);
  assertEquals([error.code, error.retryable], ["server_certificate_untrusted", false]);
  assertStringIncludes(error.message, "ca.crt");
});

test("a closed port, an unknown name and a reset are connection_failed, not a refused certificate", async () => {
  const closed = createTcpServer();
  const resetting = createTcpServer((socket) => void socket.on("error", () => {}).destroy());
  const [closedUrl, resettingUrl] = await Promise.all(
    [closed, resetting].map(async (server) => `https://127.0.0.1:${await listen(server)}`),
  );
  closed.close();
  closing.push(() => new Promise((resolve) => resetting.close(() => resolve())));
  for (const url of [closedUrl, resettingUrl, "https://nobody.invalid"]) {
    const { client } = await open({}, {}, url);
    const error = await assertRejects(() => client.health(), SabikaError);
    assertEquals([error.code, error.retryable], ["connection_failed", true]);
  }
});

test("a closed client leaves no connection open", async () => {
  const { client } = await open();
  const sockets: Promise<unknown>[] = [];
  server.on("secureConnection", (socket) => sockets.push(once(socket, "close")));
  await Promise.all([client.health(), client.health()]);
  await client.close();
  const error = await assertRejects(() => client.health(), SabikaError);
  assertEquals(error.code, "client_closed");
  assert(sockets.length > 0);
  await Promise.all(sockets);
});

test("reload() loses no call: those under way keep the old certificate, later ones have the new", async () => {
  const { client, kit } = await open();
  const renewed = await authority.issue({ name: "renewed" });
  const { certificatePem, privateKeyPem } = renewed;
  let answerAll = () => {};
  answering = new Promise((resolve) => answerAll = resolve);
  const sockets: Promise<unknown>[] = [];
  server.once("secureConnection", (socket) => sockets.push(once(socket, "close")));
  const arrived = once(server, "request");
  const underWay = client.health();
  await arrived;
  const reloaded = client.reload({ ...kit, certificatePem, privateKeyPem });
  const later = client.health();
  await once(server, "request");
  assertEquals(callers.slice(-2), ["demo", "renewed"]);
  answerAll();
  assertEquals([(await underWay).status, (await later).status], ["ok", "ok"]);
  await reloaded;
  await Promise.all(sockets);
  await client.health();
  assertEquals(callers.at(-1), "renewed");
});

/** Starts a proxy that knows nothing but CONNECT (RFC 9110 §9.3.6); returns its URL and what it was asked for. */
async function startProxy(status = 200) {
  const asked: string[] = [];
  const sockets: Socket[] = [];
  const proxy = createHttpServer();
  proxy.on("connection", (socket) => sockets.push(socket));
  proxy.on("connect", (request, socket) => {
    asked.push(`${request.url} ${request.headers["proxy-authorization"]}`);
    const [host, port] = request.url!.split(":");
    const onward = connect(Number(port), host, () => {
      socket.write(`HTTP/1.1 ${status} -\r\n\r\n`);
      if (status === 200) socket.pipe(onward).pipe(socket);
      else socket.end();
    });
    socket.on("error", () => {}).on("close", () => onward.destroy());
    onward.on("error", () => {}).on("close", () => socket.destroy());
  });
  const port = await listen(proxy);
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => proxy.close(() => resolve()));
  });
  return { url: `http://user:p%40ss@127.0.0.1:${port}`, asked, sockets };
}

test("through a proxy the client presents its certificate, and says when it is refused", async () => {
  const proxy = await startProxy();
  const { client } = await open({}, { proxy: proxy.url });
  assertEquals((await client.health()).status, "ok");
  assertEquals(callers.at(-1), "demo");
  assertEquals(proxy.asked, [`${new URL(baseUrl).host} Basic ${btoa("user:p@ss")}`]);

  const stranger = await (await createTestAuthority()).issue({ name: "stranger" });
  const astray = await open({
    "client.crt": stranger.certificatePem,
    "client.key": stranger.privateKeyPem,
  }, { proxy: proxy.url });
  const error = await assertRejects(() => astray.client.health(), SabikaError);
  assertEquals(error.code, "client_certificate_required");

  await Promise.all([client.close(), astray.client.close()]);
  const left = proxy.sockets.filter((socket) => !socket.closed);
  await Promise.all(left.map((socket) => once(socket, "close")));
});

test("a proxy that refuses is a connection_failed error", async () => {
  const proxy = await startProxy(407);
  const { client } = await open({}, { proxy: proxy.url });
  const error = await assertRejects(() => client.health(), SabikaError);
  assertEquals([error.code, proxy.asked.length], ["connection_failed", 2]);
});

test("proxyFor() reads HTTPS_PROXY and NO_PROXY, and leaves loopback addresses out", () => {
  const env = {
    HTTPS_PROXY: "http://proxy:3128",
    NO_PROXY: "bank.example, .corp.example,other:8443",
  };
  const cases: [url: string, isProxied: boolean][] = [
    ["https://api.sabika.example", true],
    ["https://notbank.example", true],
    ["https://bank.example", false],
    ["https://api.BANK.example:8443", false],
    ["https://api.corp.example", false],
    ["https://other:8443", false],
    ["https://other", true],
    ["https://127.0.0.1:8443", false],
    ["https://[::1]:8443", false],
    ["https://localhost", false],
  ];
  for (const [url, isProxied] of cases) {
    assertEquals(proxyFor(url, undefined, env), isProxied ? env.HTTPS_PROXY : undefined, url);
  }
  const url = "https://api.sabika.example";
  assertEquals(proxyFor(url, "http://chosen", { ...env, NO_PROXY: "*" }), "http://chosen");
  assertEquals(proxyFor(url, undefined, { ...env, no_proxy: "*" }), undefined);
  assertEquals(proxyFor(url, undefined, { ...env, https_proxy: "http://low" }), "http://low");
  assertEquals(proxyFor(url, undefined, { HTTPS_PROXY: "low:3128" }), "http://low:3128");
  assertEquals(proxyFor(url, undefined, {}), undefined);
});
