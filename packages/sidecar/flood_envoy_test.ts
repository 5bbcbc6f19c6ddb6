import { assert, assertEquals } from "@std/assert";
import { connect, type Socket } from "node:net";
import { after, test } from "node:test";
import { readStats } from "./ask_admin.ts";
import { startEdge } from "../../test/support/edge/edge.ts";
import { startLoad } from "../../test/support/edge/load.ts";
import { until } from "../../test/support/until.ts";
import { openTls, rawCall, requestText } from "../../test/support/edge/raw_call.ts";

// Floods at a real Envoy, in a bounded form (F70).

const edge = await startEdge({
  limits: { connections: 60, handshakeSeconds: 1, idleSeconds: 2, upstreamReads: 8 },
});
after(edge.close);

test("Envoy closes connections beyond its limit while it serves a connected partner", async () => {
  const load = startLoad(edge, { callers: 4 });
  await until(() => load.seen.answered > 10);
  const idle: Socket[] = [];
  let closed = 0;
  for (let n = 0; n < 200; n++) {
    const socket = connect(edge.envoy.port, "127.0.0.1");
    socket.on("close", () => closed++);
    socket.on("error", () => {});
    idle.push(socket);
  }
  await until(() => closed >= 140);
  const before = load.seen.answered;
  await until(() => load.seen.answered > before + 50);
  const stats = await readStats(
    edge.envoy.adminSocket,
    "downstream_global_cx_overflow|downstream_cx_overload",
  );
  assert([...stats.values()].some((value) => value > 0), "Envoy counts what it closes");
  // The handshake's time limit closes the rest, and a new caller is accepted.
  await until(() => closed === 200);
  assertEquals((await rawCall(edge, requestText("GET", "/health"))).status, 200);
  assertEquals((await load.stop()).failures, []);
});

test("Envoy negotiates HTTP/1.1 when a caller also offers HTTP/2, and nothing for HTTP/2 alone", async () => {
  for (const [offered, agreed] of [[["h2", "http/1.1"], "http/1.1"], [["h2"], false]] as const) {
    const socket = await openTls(edge, edge.partner, { ALPNProtocols: [...offered] });
    assertEquals(socket.alpnProtocol, agreed);
    socket.destroy();
  }
});

test("Envoy closes a partner's idle connections after the idle time", async () => {
  const sockets = await Promise.all(
    Array.from({ length: 20 }, () => openTls(edge, edge.partner)),
  );
  let closed = 0;
  for (const socket of sockets) socket.on("close", () => closed++).resume();
  await until(() => closed === 20);
  assertEquals((await rawCall(edge, requestText("GET", "/health"))).status, 200);
});

test("answers that one partner does not read hold up no order of another (F70)", async () => {
  const other = await edge.authority.issue({ commonName: "other" });
  // More than the kernel takes from Envoy for a caller who does not read.
  const body = "x".repeat(6_000_000);
  edge.upstream.answer = ({ target }) =>
    target === "/docs" ? Promise.resolve({ status: 200, body }) : undefined;
  const unread = await Promise.all(Array.from({ length: 16 }, () => openTls(edge, edge.partner)));
  for (const socket of unread) socket.pause().write(requestText("GET", "/docs"));
  await until(() => edge.upstream.arrived.filter(({ target }) => target === "/docs").length === 8);
  const order = requestText("POST", "/v1/orders", [], "{}");
  assertEquals((await rawCall(edge, order, { credential: other })).status, 200);
  for (const socket of unread) socket.destroy();
});
