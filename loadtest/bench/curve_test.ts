import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { curve } from "./curve.ts";

const NOTE = { commit: "abc1234", machine: '2 cores, "EPYC"' };
const POINTS = [
  { orders: 10_000_000, median: 0.95, min: 0.9, max: 1.02, logBytes: 1_600 },
  { orders: 100_000, median: 1, min: 0.98, max: 1.01, logBytes: 1_450 },
];

test("curve() draws each size with its ratio and its log, from the smallest on", () => {
  const svg = curve(POINTS, NOTE);
  for (const words of ["10,000,000", "0.95", "1600 bytes of log", "commit abc1234", "&quot;EPYC"]) {
    assertStringIncludes(svg, words);
  }
  const [from, to] = /polyline points="([\d.]+),[\d.]+ ([\d.]+),/.exec(svg)!.slice(1).map(Number);
  assert(from! < to!);
  assertEquals(svg, curve(POINTS.toReversed(), NOTE));
});

test("curve() draws a single size too", () => {
  assert(!curve(POINTS.slice(0, 1), NOTE).includes("NaN"));
});
