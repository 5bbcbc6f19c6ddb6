import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { clockOffset } from "./database_state.ts";

test("clockOffset() is zero when the other clock's reading lies between question and answer", () => {
  assertEquals(clockOffset(1_000, 1_005, 1_010), 0);
  assertEquals(clockOffset(1_000, 1_000, 9_000), 0);
});

test("clockOffset() is the smallest offset that explains the readings", () => {
  assertEquals(clockOffset(121_000, 1_000, 121_010), 120_000);
  assertEquals(clockOffset(1_000, 121_000, 1_010), -119_990);
});
