import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { secondsOf, shareOf } from "./seconds.ts";

test("secondsOf() reads durations as k6 writes them", () => {
  assertEquals(["30s", "1m30s", "2h", "500ms"].map(secondsOf), [30, 90, 7200, 0.5]);
});

test("shareOf() is a share of a duration, at least a second", () => {
  assertEquals([shareOf("1m", 0.2), shareOf("2s", 0.1)], ["12s", "1s"]);
});
