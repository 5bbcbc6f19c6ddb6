import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { judge } from "./ratio.ts";
import type { Goal } from "./goals.ts";

const FAST: Goal = { name: "fast", direction: "at least", bound: 2 };
const SMALL: Goal = { name: "small", direction: "at most", bound: 2 };

test("judge() holds the median of the rounds against the goal", () => {
  assertEquals(judge(FAST, [30, 10, 20], [10, 10, 10]), {
    name: "fast",
    median: 2,
    min: 1,
    max: 3,
    goal: 2,
    met: true,
  });
  assertEquals(judge(FAST, [19], [10]).met, false);
});

test("judge() knows goals that may not be exceeded", () => {
  assertEquals(judge(SMALL, [19], [10]).met, true);
  assertEquals(judge(SMALL, [21], [10]).met, false);
});
