import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { logLine } from "./log.ts";

test("logLine() writes one line of JSON with the time, the level and the event", () => {
  assertEquals(
    logLine(0, "info", "request", { status: 201, partner: "demo" }),
    '{"time":"1970-01-01T00:00:00.000Z","level":"info","event":"request","status":201,"partner":"demo"}\n',
  );
});

test("logLine() leaves out every field that is not on its list", () => {
  const line = logLine(0, "info", "request", {
    status: 401,
    authorization: "Bearer abc",
    body: "{}",
    headers: { a: 1 },
    partner: { secret: 1 },
  });
  assertEquals(Object.keys(JSON.parse(line)), ["time", "level", "event", "status"]);
});

test("logLine() escapes line ends, terminal sequences and separators (F72)", () => {
  const evil = "a\r\nb\x1b[31mc\x9b31md\u2028e\u2029f\x7f";
  const line = logLine(0, "info", "request", { reason: evil });
  // deno-lint-ignore no-control-regex
  assertEquals(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]/.test(line), false);
  assertEquals(line.indexOf("\n"), line.length - 1);
  assertEquals(JSON.parse(line).reason, evil);
});

test("logLine() cuts texts that are too long", () => {
  const line = logLine(0, "info", "request", { reason: "x".repeat(100_000) });
  assertEquals(JSON.parse(line).reason.length, 1000);
});
