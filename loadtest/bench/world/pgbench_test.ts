import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { readTps } from "./pgbench.ts";

test("readTps() finds the rate that pgbench prints", () => {
  const words = "latency average = 1.2 ms\ntps = 6543.210 (without initial connection time)\n";
  assertEquals(readTps(words), 6543.21);
  assertThrows(() => readTps("pgbench: error"), Error, "no rate");
});
