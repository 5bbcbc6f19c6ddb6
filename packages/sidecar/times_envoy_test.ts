import { assert, assertEquals } from "@std/assert";
import { connect } from "node:net";
import { after, test } from "node:test";
import { readStats } from "./ask_admin.ts";
import { startEdge } from "../../test/support/edge/edge.ts";
import { startLoad } from "../../test/support/edge/load.ts";
import { until } from "../../test/support/until.ts";
import { rawCall, requestText } from "../../test/support/edge/raw_call.ts";

const HEARTBEATS = 8;

/** Sends heartbeats like the service's stream, but faster; then nothing more. */
async function* heartbeats() {
  for (let n = 0; n < HEARTBEATS; n++) {
    yield ":\n\n";
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await new Promise(() => {});
}

// Times, failures and rates through a real Envoy.

// The limits of production, shortened so that a test can wait for them.
const limits = {
  headersSeconds: 0.4,
  requestSeconds: 0.8,
  answerSeconds: 0.6,
  handshakeSeconds: 0.5,
  streamIdleSeconds: 0.5,
  requestsPerSecond: 20,
  burst: 60,
  totalRequestsPerSecond: 1_000,
  totalBurst: 1_000,
};
const edge = await startEdge({ limits });
edge.upstream.answer = (arrived) => {
  if (arrived.target.endsWith("hang")) return Promise.resolve("hang");
  if (arrived.target.endsWith("cut")) return Promise.resolve("cut");
  if (arrived.target.startsWith("/v1/events/stream")) {
    return Promise.resolve({ status: 200, body: heartbeats() });
  }
  return undefined;
};
after(edge.close);

const post = (target: string) => requestText("POST", target, [], "{}");

const HEAD = "POST /v1/orders HTTP/1.1\r\nHost: localhost\r\n";
const SLOW: Record<string, string[]> = {
  "headers that never end": [HEAD],
  "a body that comes too slowly (F65)": [`${HEAD}Content-Length: 50\r\n\r\n`, ..."{}".repeat(20)],
};
for (const [flaw, parts] of Object.entries(SLOW)) {
  test(`Envoy answers 408 to ${flaw}, and forwards nothing`, async () => {
    edge.upstream.arrived.length = 0;
    const answer = await rawCall(edge, parts, { pauseMs: 50 });
    assertEquals(answer.status, 408, answer.text);
    const { code, retryable } = JSON.parse(answer.body);
    assertEquals([code, retryable], ["request_timeout", true]);
    assertEquals(edge.upstream.arrived, []);
  });
}

test("Envoy closes a connection that does not finish its handshake", async () => {
  await new Promise<void>((resolve, reject) => {
    const socket = connect(edge.envoy.port, "127.0.0.1");
    socket.on("close", () => resolve());
    socket.on("error", reject);
    socket.resume();
  });
});

test("Envoy answers outcome_unknown when the service took a request and does not answer", async () => {
  const answer = await rawCall(edge, post("/v1/orders/hang"));
  assertEquals(answer.status, 504, answer.text);
  const { code, retryable } = JSON.parse(answer.body);
  assertEquals([code, retryable], ["outcome_unknown", true]);
});

test("Envoy answers outcome_unknown when the service dies under a request, and never repeats it", async () => {
  edge.upstream.arrived.length = 0;
  // Not even when the caller asks Envoy to retry.
  const steering = ["X-Envoy-Retry-On: 5xx,reset,connect-failure", "X-Envoy-Max-Retries: 3"];
  const answer = await rawCall(edge, requestText("POST", "/v1/orders/cut", steering, "{}"));
  assertEquals(answer.status, 503, answer.text);
  assertEquals(JSON.parse(answer.body).code, "outcome_unknown");
  assertEquals(edge.upstream.arrived.length, 1);
});

test("Envoy keeps an event stream open while heartbeats come, and ends a silent stream", async () => {
  const request = requestText("GET", "/v1/events/stream?after_sequence=0", [], "");
  const answer = await rawCall(edge, request, { quietMs: 5_000, timeoutMs: 20_000 });
  // The stream lasts longer than any answer may take, and is cut off amid its chunks.
  assertEquals([answer.status, answer.closed], [200, true], answer.text);
  assertEquals(answer.text.split(":\n\n").length, HEARTBEATS + 1);
  const stats = await readStats(edge.envoy.adminSocket, "cluster.streams");
  assertEquals(stats.get("cluster.streams.upstream_rq_total"), 1);
});

test("Envoy limits one certificate without touching another's share (F69)", async () => {
  const greedy = await edge.authority.issue({ commonName: "greedy" });
  const load = startLoad(edge, { credential: greedy, callers: 4 });
  await until(() => load.seen.answered >= 150);
  let refusal = await rawCall(edge, post("/v1/orders"), { credential: greedy });
  await until(async () => {
    refusal = await rawCall(edge, post("/v1/orders"), { credential: greedy });
    return refusal.status === 429;
  });
  assertEquals(JSON.parse(refusal.body).code, "rate_limited");
  assertEquals(refusal.headers.get("retry-after"), "1");
  // A new connection would cost both sides a handshake.
  assertEquals(refusal.closed, false, "a refusal keeps its connection");
  // Meanwhile the other certificate is served.
  assertEquals((await rawCall(edge, post("/v1/orders"))).status, 200);
  const seen = await load.stop();
  assert(seen.failures.every((failure) => failure === "429"), seen.failures.join());
  assert(seen.answered - seen.failures.length >= 55, "the burst passed");
  assert(seen.failures.length > 0, "some requests were refused");
  const stats = await readStats(edge.envoy.adminSocket, "local_rate_limit");
  assert((stats.get("edge.http_local_rate_limit.rate_limited") ?? 0) >= seen.failures.length);
  assert((stats.get("edge.http_local_rate_limit.enabled") ?? 0) > 0, "the filter is on");
});
