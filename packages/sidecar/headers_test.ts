import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { earlyRemovals } from "./headers.ts";

test("Sabika-Simulate is taken out in production, and handed on in the sandbox (Decision D55)", () => {
  const removes = (environment: "sandbox" | "production") =>
    JSON.stringify(earlyRemovals(environment)).includes('"remove":"sabika-simulate"');
  assertEquals([removes("production"), removes("sandbox")], [true, false]);
});
