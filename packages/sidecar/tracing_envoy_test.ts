import { assert, assertEquals, assertMatch } from "@std/assert";
import { createServer } from "node:http";
import { test } from "node:test";
import { startEdge } from "../../test/support/edge/edge.ts";
import { listen } from "../../test/support/listen.ts";
import { until } from "../../test/support/until.ts";
import { rawCall, requestText } from "../../test/support/edge/raw_call.ts";
import type { Arrived } from "../../test/support/edge/upstream.ts";

test("with a collector, the sidecar's span lies between the caller's and the service's", async (t) => {
  let received = "";
  const collector = createServer((request, response) => {
    request.on("data", (part: Uint8Array) => {
      received += Array.from(part, (byte) => byte.toString(16).padStart(2, "0")).join("");
    });
    request.on("end", () => response.writeHead(200).end());
  });
  const port = await listen(collector);
  const edge = await startEdge({ traces: `127.0.0.1:${port}` });
  t.after(async () => {
    await edge.close();
    collector.closeAllConnections();
    collector.close();
  });
  const [trace, span] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
  const text = requestText("GET", "/v1/prices?a=secret", [`traceparent: 00-${trace}-${span}-01`]);
  const answer = await rawCall(edge, text);
  const arrived: Arrived = JSON.parse(answer.body);
  const traceparent = new Map(arrived.headers).get("traceparent") ?? "";
  assertMatch(traceparent, new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
  assert(!traceparent.includes(span), "the service's parent is the sidecar's span");
  await until(() => received.includes(trace) && received.includes(span));
  const hex = (word: string) =>
    [...new TextEncoder().encode(word)].map((b) => b.toString(16)).join("");
  for (const word of ["sabika-sidecar", "/v1/prices"]) assert(received.includes(hex(word)), word);
  assertEquals(received.includes(hex("secret")), false, "a span has no query");
});
