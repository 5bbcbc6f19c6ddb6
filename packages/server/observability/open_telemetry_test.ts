import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { createServer } from "node:http";
import { listen } from "../../../test/support/listen.ts";
import { openTelemetry, readTraceparent } from "./open_telemetry.ts";
import { traced } from "./tracing.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number };
}

test("a request's span continues the caller's trace, down to the statement", async () => {
  let tellReceived: (body: string) => void = () => {};
  const received = new Promise<string>((resolve) => tellReceived = resolve);
  const collector = createServer((incoming, outgoing) => {
    let body = "";
    incoming.setEncoding("utf8").on("data", (text: string) => body += text);
    incoming.on("end", () => {
      outgoing.writeHead(200, { "content-type": "application/json" }).end("{}");
      tellReceived(`${incoming.url} ${body}`);
    });
  });
  const port = await listen(collector);
  const tracing = await openTelemetry(`http://127.0.0.1:${port}/`, "sandbox");
  const span = tracing.start("POST /v1/orders", `00-${TRACE}-${PARENT}-01`, "vendor=1");
  assertEquals(await traced(span, "place_orders", () => Promise.resolve(7)), 7);
  span.set("http.response.status_code", 201);
  span.end();
  await tracing.close();
  const [path, json] = (await received).split(/ (.*)/s) as [string, string];
  collector.close();

  assertEquals(path, "/v1/traces");
  const [{ resource, scopeSpans }] = JSON.parse(json).resourceSpans;
  assertEquals(resource.attributes.slice(0, 1), [
    { key: "service.name", value: { stringValue: "sabika" } },
  ]);
  const spans = scopeSpans[0].spans as ReceivedSpan[];
  const request = spans.find(({ name }) => name === "POST /v1/orders")!;
  const statement = spans.find(({ name }) => name === "place_orders")!;
  assertEquals([request.traceId, request.parentSpanId], [TRACE, PARENT]);
  assertEquals([statement.traceId, statement.parentSpanId], [TRACE, request.spanId]);
  assertEquals(statement.attributes, [
    { key: "db.system.name", value: { stringValue: "postgresql" } },
  ]);
});

test("traced() costs nothing when nothing is traced, and passes errors on when something is", async () => {
  assertEquals(await traced(undefined, "x", () => Promise.resolve(1)), 1);
  const ended: boolean[] = [];
  const span = {
    child: () => span,
    set: () => {},
    end: (failed = false) => void ended.push(failed),
  };
  const failure = new Error("x");
  const caught = await traced(span, "x", () => Promise.reject(failure)).catch((error) => error);
  assertEquals([caught, ended], [failure, [true]]);
});

test("readTraceparent() accepts exactly what the standard allows", () => {
  assertEquals(readTraceparent(`00-${TRACE}-${PARENT}-01`), {
    traceId: TRACE,
    spanId: PARENT,
    traceFlags: 1,
  });
  assertEquals(readTraceparent(`01-${TRACE}-${PARENT}-00-more`)?.spanId, PARENT);
  const texts = [
    undefined,
    "",
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${"0".repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01\n`,
  ];
  for (const text of texts) assertEquals(readTraceparent(text), undefined, String(text));
});
