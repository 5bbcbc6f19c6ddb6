import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { stat } from "node:fs/promises";
import { after, test } from "node:test";
import { askAdmin } from "./ask_admin.ts";
import { startEdge } from "../../test/support/edge/edge.ts";
import { rawCall, requestText } from "../../test/support/edge/raw_call.ts";
import { each } from "../../test/support/each.ts";
import { ENVOY_METRICS } from "../../test/support/envoy_metrics.ts";

// The interfaces of a real Envoy, and who may use them.

const edge = await startEdge();
after(edge.close);

const watch = async (path: string, method = "GET") => {
  const answer = await fetch(`http://127.0.0.1:${edge.envoy.watchPort}${path}`, { method });
  return { status: answer.status, text: await answer.text() };
};

test("Envoy's admin interface is its own user's alone, and refuses what reveals or changes settings", async () => {
  assertEquals((await stat(edge.envoy.adminSocket)).mode & 0o777, 0o600);
  assertEquals((await askAdmin(edge.envoy.adminSocket, "/ready")).status, 200);
  const paths = each("/config_dump /server_info /logging /clusters /runtime /memory /");
  for (const path of paths) {
    assertEquals((await askAdmin(edge.envoy.adminSocket, path)).status, 403, path);
  }
  const changing = ["/quitquitquit", "/logging?level=debug", "/healthcheck/fail", "/cpuprofiler"];
  for (const path of changing) {
    assertEquals((await askAdmin(edge.envoy.adminSocket, path, "POST")).status, 403, path);
  }
});

test("Envoy shows Prometheus its statistics and a probe its readiness, and nothing else", async () => {
  await rawCall(edge, requestText("GET", "/health"));
  assertEquals((await watch("/ready")).status, 200);
  const { status, text } = await watch("/stats/prometheus");
  assertEquals(status, 200);
  for (const name of ENVOY_METRICS) assertStringIncludes(text, name);
  const paths = ["/stats", "/certs", "/config_dump", "/listeners", "/", "/drain_listeners"];
  for (const path of paths) {
    assertEquals((await watch(path)).status, 404, path);
  }
  assertEquals((await watch("/stats/prometheus", "POST")).status, 404);
});

test("Envoy shows no statistics on the partners' port, and serves no partner on the watch port", async () => {
  const answer = await rawCall(edge, requestText("GET", "/stats/prometheus"));
  assertEquals(answer.status, 404);
  assert((await watch("/v1/orders")).status === 404);
});
