import { after, describe, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { ResolvedAddress } from "@sabika/network";
import { createTestAuthority } from "../../../test/support/test_certificates.ts";
import { openTestOutbox, type TestOutbox } from "../../../test/support/test_outbox.ts";
import type { Behaviour, TestReceiver } from "../../../test/support/webhook_receiver.ts";
import { connectEndpoint, trustAuthorities } from "./post_webhook.ts";

const HOUR = 3_600_000;
/** The time limit of attempts that are to exceed it. */
const SHORT_MS = 400;
/** The time limit of attempts that end earlier: nothing waits this long. */
const TIMEOUT_MS = 60_000;

const outbox = await openTestOutbox();
after(() => outbox.close());

describe("webhook delivery to faulty endpoints", () => {
  async function receive(behave: () => Behaviour = () => ({ status: 204 })): Promise<TestReceiver> {
    const receiver = await outbox.receiver({ dns: ["hook.example.com"] });
    receiver.behave = behave;
    return receiver;
  }

  /** Runs one delivery to a new partner with one event; returns the outcome and the log. */
  async function tryOnce(url: string, options: Parameters<TestOutbox["worker"]>[0] = {}) {
    const partnerId = await outbox.addPartner(url);
    await outbox.writePings(partnerId, 1);
    outbox.logged.length = 0;
    await outbox.worker({ timeoutMs: TIMEOUT_MS, ...options }).runDue();
    const { next } = await outbox.lane(partnerId);
    // No later worker of this file delivers to it.
    await outbox.test.database.sql`
      update partners set webhook_url = null where partner_id = ${partnerId}`;
    return { delivered: next === 2, logged: outbox.logged.join("\n") };
  }

  test("an attempt at an endpoint that never answers ends in time, and delays no other endpoint (F74)", async () => {
    let allArrived: () => void;
    const arrived = new Promise<void>((resolve) => allArrived = resolve);
    const silent = await receive(() => () => {});
    const lively = await receive(() => {
      if (lively.received.length === 3) allArrived();
      return { status: 204 };
    });
    const slow = await outbox.addPartner(`https://127.0.0.1:${silent.port}/`);
    const quick = await outbox.addPartner(`https://127.0.0.1:${lively.port}/`);
    await outbox.writePings(slow, 3);
    await outbox.writePings(quick, 3);
    await outbox.worker({
      timeoutMs: TIMEOUT_MS,
      connect(options) {
        if (Number(options.url.port) !== silent.port) return connectEndpoint(options);
        const real = connectEndpoint({ ...options, timeoutMs: SHORT_MS });
        return {
          ...real,
          async post(headers, body) {
            const result = await real.post(headers, body);
            // The attempt is not over before the other partner has everything.
            await arrived;
            return result;
          },
        };
      },
    }).runDue();
    assertEquals(lively.received.length, 3);
    assertEquals(await outbox.deliveries(slow), [{ sequence: 1, state: "failing", attempts: 1 }]);
    assert(outbox.logged.some((line) => line.includes("timed out")));
    await outbox.test.database.sql`update partners set webhook_url = null`;
  });

  test("a status line that comes byte by byte does not extend the time limit (F74)", async () => {
    const dripping = await receive(() => (request, response) => {
      const { socket } = request;
      const bytes = [..."HTTP/1.1 200 OK\r\n"];
      const drip = setInterval(() => socket.write(bytes.shift() ?? "x"), 50);
      socket.on("close", () => clearInterval(drip));
      response.on("error", () => {});
    });
    const { delivered, logged } = await tryOnce(`https://127.0.0.1:${dripping.port}/`, {
      timeoutMs: SHORT_MS,
    });
    assertEquals(delivered, false);
    assert(logged.includes("timed out"), logged);
  });

  test("an endless body is cut off (F74)", async () => {
    let sent = 0;
    let ended: () => void;
    const cut = new Promise<void>((resolve) => ended = resolve);
    const endless = await receive(() => (_request, response) => {
      response.writeHead(200);
      const chunk = "x".repeat(65_536);
      const pour = () => {
        if (response.destroyed) return;
        sent += chunk.length;
        if (response.write(chunk)) setImmediate(pour);
        else response.once("drain", pour);
      };
      response.on("close", () => ended());
      pour();
    });
    const { delivered } = await tryOnce(`https://127.0.0.1:${endless.port}/`);
    await cut;
    assertEquals(delivered, true, "200 was said in time");
    assert(sent < 64 * 1024 * 1024, `${sent} bytes`);
  });

  test("a certificate that is wrong, expired or of another CA is a failure (F75)", async () => {
    const stranger = await createTestAuthority();
    const bad = [
      await outbox.authority.issue({ dns: ["other.example.com"] }),
      await outbox.authority.issue({ ip: ["127.0.0.1"], notAfterMs: Date.now() - HOUR }),
      await stranger.issue({ ip: ["127.0.0.1"] }),
    ];
    for (const certificate of bad) {
      const receiver = await outbox.receiver({ certificate });
      const { delivered, logged } = await tryOnce(`https://127.0.0.1:${receiver.port}/`);
      assertEquals([delivered, receiver.received.length], [false, 0]);
      assert(/CERT|ALTNAME|ISSUER|SELF_SIGNED|UNABLE/.test(logged), logged);
    }
  });

  test("no connection is made to a private address, not even by a name (F77, F78)", async () => {
    const receiver = await receive();
    const inside: ResolvedAddress = { address: "127.0.0.1", family: 4 };
    const cases: [string, ResolvedAddress[]?][] = [
      ["127.0.0.1"],
      ["localhost"],
      ["[::ffff:127.0.0.1]"],
      ["hook.example.com", [inside]],
      ["hook.example.com", [{ address: "8.8.8.8", family: 4 }, inside]],
      ["hook.example.com", [{ address: "64:ff9b::7f00:1", family: 6 }]],
    ];
    for (const [host, answer] of cases) {
      const resolve = answer && (() => Promise.resolve(answer));
      const endpointPolicy = { allowLoopback: false, resolve };
      const url = `https://${host}:${receiver.port}/`;
      const { delivered, logged } = await tryOnce(url, { endpointPolicy });
      assertEquals(delivered, false, host);
      const reason = host === "localhost" ? "host_not_public" : "address_not_public";
      assert(logged.includes(reason), logged);
    }
    assertEquals(receiver.connections, 0);
  });

  test("the connection goes to the checked address, and the name is resolved once (F78)", async () => {
    const receiver = await receive();
    let asked = 0;
    // From the second time on the name has another address, as in DNS rebinding.
    const resolve = (): Promise<ResolvedAddress[]> =>
      Promise.resolve([{ address: ++asked === 1 ? "127.0.0.1" : "127.0.0.9", family: 4 }]);
    const policy = { endpointPolicy: { allowLoopback: true, resolve } };
    const { delivered } = await tryOnce(`https://hook.example.com:${receiver.port}/`, policy);
    assertEquals([delivered, asked, receiver.received.length], [true, 1, 1]);
    assertEquals(receiver.received[0]!.headers.host, `hook.example.com:${receiver.port}`);
  });

  test("a persistent connection that the endpoint has closed is opened again", async () => {
    const receiver = await receive();
    const connection = connectEndpoint({
      url: new URL(`https://hook.example.com:${receiver.port}/`),
      hostname: "hook.example.com",
      addresses: [{ address: "127.0.0.1", family: 4 }],
      trust: trustAuthorities(outbox.authority.certificatePem),
      timeoutMs: TIMEOUT_MS,
      maxSockets: 1,
    });
    const body = new TextEncoder().encode("{}");
    assertEquals((await connection.post({}, body)).kind, "answered");
    receiver.behave = () => (request) => {
      receiver.behave = () => ({ status: 204 });
      request.socket.destroy();
    };
    assertEquals(await connection.post({}, body), {
      kind: "answered",
      status: 204,
      retryAfter: undefined,
      address: `127.0.0.1:${receiver.port}`,
    });
    connection.close();
  });
});
