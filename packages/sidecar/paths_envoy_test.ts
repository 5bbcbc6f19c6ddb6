import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { startEdge } from "../../test/support/edge/edge.ts";
import { rawCall, requestText } from "../../test/support/edge/raw_call.ts";

const edge = await startEdge();
after(edge.close);

test("Envoy lets every documented path through to the service, and no other", async () => {
  const file = new URL("../../docs/openapi.json", import.meta.url);
  const { paths } = JSON.parse(await readFile(file, "utf8")) as { paths: Record<string, object> };
  const targets = Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, "2026-11-20"));
  assertEquals(targets.includes("/.well-known/sabika-attestation-keys.json"), true);
  for (const target of targets) {
    assertEquals((await rawCall(edge, requestText("GET", target))).status, 200, target);
  }
  const passed = edge.upstream.arrived.map(({ target }) => target);
  assertEquals(passed, targets);
  for (const target of ["/admin/v1/vault", "/.well-known/other.json", "/"]) {
    assertEquals((await rawCall(edge, requestText("GET", target))).status, 404, target);
  }
  assertEquals(edge.upstream.arrived.length, targets.length);
});
