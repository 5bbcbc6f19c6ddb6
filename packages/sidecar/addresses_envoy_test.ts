import { assert, assertEquals, assertMatch } from "@std/assert";
import { connect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { after, test } from "node:test";
import { type Edge, startEdge } from "../../test/support/edge/edge.ts";
import { startFlood } from "../../test/support/edge/flood.ts";
import { startLoad } from "../../test/support/edge/load.ts";
import { until } from "../../test/support/until.ts";
import { openTls, requestText } from "../../test/support/edge/raw_call.ts";
import { readStats } from "./ask_admin.ts";
import { handAddresses } from "./hand_addresses.ts";

/** The registered addresses of two partners, and a stranger's. */
const ONE = "127.0.0.1";
const TWO = "127.0.0.77";
const STRANGER = "127.0.0.66";
const SHARES = { partnerConnections: 12, strangerConnections: 8 };

// Connections of a real Envoy, divided by the addresses that partners registered.

let version = 0;
const hand = async (...addresses: string[][]) => {
  const partners = addresses.map((list, n) => ({ partner: `bank-${n + 1}`, addresses: list }));
  const done = await handAddresses(edge.settings, partners, `test-${version++}`);
  assertEquals(done, { ok: true, applied: true });
};
const edge = await startEdge({ limits: { ...SHARES, strangerHandshakeSeconds: 1 } });
await hand([`${ONE}/32`], [`${TWO}/32`]);
after(edge.close);

/** Reads from Envoy how many connections of a filter chain are open. */
const active = async (chain: string) =>
  [...(await readStats(edge.envoy.adminSocket, `^connection_limit.${chain}.active`)).values()][0];

test("Envoy closes only the connections beyond a stranger's or a partner's own share", async () => {
  const bare = openBare(edge, STRANGER, 100);
  const idle: TLSSocket[] = [];
  for (let n = 0; n < 40; n++) {
    await openTls(edge, edge.partner, { localAddress: TWO }).then((socket) => {
      idle.push(socket.on("error", () => {}));
    }, () => {});
  }
  assertEquals(idle.length, SHARES.partnerConnections);
  assertEquals(await active("partner:bank-2"), SHARES.partnerConnections);
  assert(bare.closed() >= 100 - SHARES.strangerConnections);
  for (let n = 0; n < SHARES.partnerConnections; n++) {
    const socket = await openTls(edge, edge.partner, { localAddress: ONE });
    assertEquals(await ask(socket), 200);
    socket.destroy();
  }
  // The strangers' silence ends after a second, and none of them has cost a handshake.
  await until(() => bare.closed() === 100);
  for (const socket of idle) socket.destroy();
  await until(async () => await active("partner:bank-2") === 0);
});

test("Envoy fails no honest call while others reopen closed connections again and again (F70)", async () => {
  const { pem: ca } = edge.authority;
  const { certificate, key } = edge.partner;
  const attack = { port: edge.envoy.port, connections: 200, atOnce: 50, ca, certificate, key };
  const floods = [
    startFlood({ ...attack, kind: "silent", localAddress: STRANGER }),
    startFlood({ ...attack, kind: "idle", localAddress: TWO }),
  ];
  try {
    await until(() => floods.every((flood) => flood.seen().attempts >= attack.connections));
    const load = startLoad(edge, { callers: 4, pauseMs: 5 });
    for (let n = 0; n < 20; n++) {
      const socket = await openTls(edge, edge.partner, { localAddress: ONE });
      assertEquals(await ask(socket), 200);
      socket.destroy();
    }
    await until(() => load.seen.answered > 100);
    assertEquals((await load.stop()).failures, []);
  } finally {
    await Promise.all(floods.map((flood) => flood.stop()));
  }
  await until(async () => await active("partner:bank-2") === 0);
});

test("Envoy limits the rate at which a stranger opens connections within its share", async () => {
  await until(async () => await active("strangers") === 0);
  let answered = 0;
  const tries = 200;
  for (let n = 0; n < tries; n++) {
    const socket = connect({ host: ONE, port: edge.envoy.port, localAddress: STRANGER });
    // An accepted connection stays open until it sends a byte that is not TLS.
    await new Promise((resolve) => {
      socket.on("error", () => {}).on("close", resolve).on("data", () => answered++);
      socket.write("GET / HTTP/1.1\r\n\r\n");
    });
  }
  const limited = await readStats(edge.envoy.adminSocket, "strangers.rate_limited");
  assert([...limited.values()].some((count) => count > 50), `${[...limited.values()]}`);
  const socket = await openTls(edge, edge.partner, { localAddress: ONE });
  assertEquals(await ask(socket), 200);
  socket.destroy();
});

test("Envoy follows the list without a restart, and keeps the connections of unchanged chains", async () => {
  const kept = await openTls(edge, edge.partner, { localAddress: ONE });
  assertEquals(await ask(kept), 200);
  await hand([`${ONE}/32`], [`${TWO}/32`, "127.0.0.78/32"]);
  const added = await openTls(edge, edge.partner, { localAddress: "127.0.0.78" });
  assertEquals(await ask(added), 200);
  assertEquals(await active("partner:bank-2"), 1);
  added.destroy();
  await hand([`${ONE}/32`], [`${TWO}/32`]);
  const stranger = await openTls(edge, edge.partner, { localAddress: "127.0.0.78" });
  // An address that is not registered any more is a stranger's; whether it may call at all is up to
  // the service.
  assertEquals(await ask(stranger), 200);
  assertEquals(await active("strangers"), 1);
  stranger.destroy();
  assertEquals(await active("partner:bank-1"), 1, "the chain of bank-1 is unchanged");
  assertEquals(await ask(kept), 200);
  kept.destroy();
});

test("Envoy accepts addresses that partners share, or that lie within another's range", async () => {
  await hand([`${ONE}/32`, "127.0.0.64/26"], [`${TWO}/32`], [`${ONE}/32`]);
  const cases = [
    [ONE, "shared:bank-1"],
    [TWO, "shared:bank-1"],
    ["127.0.0.70", "partner:bank-1"],
    ["127.0.1.1", "strangers"],
  ] as const;
  for (const [localAddress, chain] of cases) {
    const socket = await openTls(edge, edge.partner, { localAddress });
    assertEquals(await ask(socket), 200);
    assertEquals(await active(chain), 1, `${localAddress} in ${chain}`);
    socket.destroy();
    await until(async () => await active(chain) === 0);
  }
});

test("Envoy tells Prometheus whose connections it has refused", async () => {
  const answer = await fetch(`http://127.0.0.1:${edge.envoy.watchPort}/stats/prometheus`);
  assertMatch(
    await answer.text(),
    /^envoy_connection_limit_limited_connections\{envoy_connection_limit_prefix="partner:bank-2"\} [1-9]/m,
  );
});

/** Opens connections without TLS, and counts those that Envoy has closed. */
function openBare(edge: Edge, localAddress: string, count: number) {
  let closed = 0;
  for (let n = 0; n < count; n++) {
    const socket: Socket = connect({ host: ONE, port: edge.envoy.port, localAddress });
    socket.on("error", () => {}).on("close", () => closed++).resume();
  }
  return { closed: () => closed };
}

/** Sends a request on an open connection, and returns the answer's status. */
function ask(socket: TLSSocket): Promise<number> {
  return new Promise((resolve, reject) => {
    socket.once(
      "data",
      (bytes: Uint8Array) => resolve(Number(new TextDecoder().decode(bytes.subarray(9, 12)))),
    );
    socket.once("close", () => reject(new Error("closed without an answer")));
    socket.write(requestText("GET", "/health"));
  });
}
