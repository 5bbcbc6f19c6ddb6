import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { tableBeside } from "./table_beside.ts";

const ratio = (name: string, median: number, met: boolean) => ({
  ...{ name, median, met, min: median - 0.1, max: median + 0.1, goal: 1 },
});
const of = (runtime: string, ...ratios: ReturnType<typeof ratio>[]) => ({
  ...{ commit: "abc1234", machine: `Chip × 2, ${runtime}`, runtime, ratios },
});

test("results of several runtimes stand beside one another, with what was missed in bold", () => {
  const table = tableBeside([
    of("Node 20.19.0", ratio("orders", 1.2, true), ratio("start", 0.8, true)),
    of("Deno 2.9.6", ratio("orders", 0.6, false)),
  ]);
  assertEquals(table.split("\n").slice(2, -1), [
    "| ratio | Node 20.19.0 | Deno 2.9.6 | goal |",
    "| --- | --- | --- | --- |",
    "| orders | 1.20 (1.10–1.30) | **0.60** (0.50–0.70) | 1.00 |",
    "| start | 0.80 (0.70–0.90) |  | 1.00 |",
  ]);
});
