import { assert, assertEquals } from "@std/assert";
import { after, test } from "node:test";
import { readStats } from "./ask_admin.ts";
import { writeInstances } from "./endpoints.ts";
import { startEdge } from "../../test/support/edge/edge.ts";
import { startLoad } from "../../test/support/edge/load.ts";
import { until } from "../../test/support/until.ts";
import { rawCall, requestText } from "../../test/support/edge/raw_call.ts";
import { startUpstream } from "../../test/support/edge/upstream.ts";

// Instances behind a real Envoy.

const edge = await startEdge({ limits: { healthSeconds: 0.05 } });
after(edge.close);

let version = 0;
const list = (...instances: { address: string; watch: string }[]) =>
  writeInstances(edge.folder, instances, `test-${version++}`);
const healthy = async () =>
  (await readStats(edge.envoy.adminSocket, "cluster.service.membership")).get(
    "cluster.service.membership_healthy",
  );

test("Envoy loses nothing when instances leave the list before they stop, 20 times under load (F21)", async () => {
  let current = edge.upstream;
  const load = startLoad(edge, { callers: 8 });
  for (let round = 0; round < 20; round++) {
    const next = await startUpstream(edge.folder, `round-${round}`);
    await list(current, next);
    await until(async () => await healthy() === 2);
    await list(next);
    await until(async () => await healthy() === 1);
    // As the service drains: it closes only when every request in flight is answered.
    await until(() => current.connections === 0);
    if (current !== edge.upstream) await current.close();
    current = next;
  }
  const seen = await load.stop();
  assertEquals(seen.failures, []);
  assert(seen.answered > 200, `${seen.answered} answered`);
  await list(edge.upstream);
  await until(async () => await healthy() === 1);
  await current.close();
});

test("Envoy sends no request to an instance that is not ready, and loses none", async () => {
  const other = await startUpstream(edge.folder, "other");
  await list(edge.upstream, other);
  await until(async () => await healthy() === 2);
  const load = startLoad(edge, { callers: 4 });
  await until(() => other.arrived.length > 5);
  other.ready = false;
  await until(async () => await healthy() === 1);
  let answered = load.seen.answered;
  // Each caller had at most one request in flight.
  await until(() => load.seen.answered > answered + 8);
  const before = other.arrived.length;
  answered = load.seen.answered;
  await until(() => load.seen.answered > answered + 50);
  assertEquals(other.arrived.length, before);
  assertEquals((await load.stop()).failures, []);
  await list(edge.upstream);
  await other.close();
});

test("Envoy answers 503 service_unavailable with Retry-After while there is no instance", async () => {
  await list();
  await until(async () => await healthy() === 0);
  const before = edge.upstream.arrived.length;
  const answer = await rawCall(edge, requestText("POST", "/v1/orders", [], "{}"));
  assertEquals(answer.status, 503, answer.text);
  assertEquals(JSON.parse(answer.body).code, "service_unavailable");
  assertEquals(answer.headers.get("retry-after"), "1");
  assertEquals(edge.upstream.arrived.length, before);
  await list(edge.upstream);
  await until(async () => await healthy() === 1);
});

test("Envoy still forwards requests when no instance is ready, so that they say why (D16)", async () => {
  edge.upstream.ready = false;
  await until(async () => await healthy() === 0);
  const answer = await rawCall(edge, requestText("GET", "/health"));
  assertEquals(answer.status, 200, answer.text);
  edge.upstream.ready = true;
  await until(async () => await healthy() === 1);
});

test("Envoy answers service_unavailable, not outcome_unknown, when the instance cannot be reached", async () => {
  const gone = { address: `unix:${edge.folder}/nobody.sock`, watch: edge.upstream.watch };
  await list(gone);
  await until(async () => await healthy() === 1);
  let code = "";
  await until(async () => {
    const answer = await rawCall(edge, requestText("POST", "/v1/orders", [], "{}"));
    code = answer.status === 503 ? JSON.parse(answer.body).code : "";
    return answer.status === 503;
  });
  assertEquals(code, "service_unavailable");
});
