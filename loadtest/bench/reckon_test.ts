import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { reckon } from "./reckon.ts";

test("reckon() takes a machine that was half as quick so far to be so with the rest", () => {
  assertEquals(reckon({ expected: [10, 20, 30], took: [], elapsed: 0 }), {
    share: 0,
    secondsLeft: 60,
  });
  const { share, secondsLeft } = reckon({ expected: [10, 20, 30], took: [20], elapsed: 10 });
  assertEquals(secondsLeft, 30 + 60);
  assertEquals(share, 30 / 120);
});

test("reckon() leaves a little of a part that takes longer than expected", () => {
  assertEquals(reckon({ expected: [100], took: [], elapsed: 500 }).secondsLeft, 5);
});
