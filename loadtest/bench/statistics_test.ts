import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { median, percentile, ratiosOf } from "./statistics.ts";

test("percentile() takes the nearest rank, whatever the order", () => {
  const values = [5, 1, 4, 2, 3];
  assertEquals(percentile(values, 0.5), 3);
  assertEquals(percentile(values, 0.99), 5);
  assertEquals(percentile(values, 0), 1);
  assertEquals(percentile([7], 0.99), 7);
  assertThrows(() => percentile([], 0.5), RangeError);
});

test("median() of an even number of values is the mean of the two in the middle", () => {
  assertEquals(median([4, 1, 3, 2]), 2.5);
  assertEquals(median([9, 1, 5]), 5);
});

test("ratiosOf() divides only within a round", () => {
  assertEquals(ratiosOf([10, 30], [5, 10]), [2, 3]);
  assertThrows(() => ratiosOf([1], [1, 2]), RangeError);
});
