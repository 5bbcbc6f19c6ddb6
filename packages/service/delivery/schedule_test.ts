import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { ATTEMPT_OFFSETS_MS, nextAttemptAt } from "./schedule.ts";

test("nextAttemptAt() follows the offsets of Decision D35 and ends after the last", () => {
  let atMs = 1_000_000;
  for (const offset of ATTEMPT_OFFSETS_MS.slice(1)) {
    atMs = nextAttemptAt(ATTEMPT_OFFSETS_MS.indexOf(offset), atMs, 0)!;
    assertEquals(atMs, 1_000_000 + offset);
  }
  assertEquals(nextAttemptAt(ATTEMPT_OFFSETS_MS.length, atMs, 0), undefined);
  assertEquals(nextAttemptAt(0, atMs, 0), undefined, "none has failed");
});

test("nextAttemptAt() adds up to a tenth at random, and never subtracts", () => {
  assertEquals(nextAttemptAt(1, 0, 0), 500);
  assertEquals(nextAttemptAt(1, 0, 0.5), 525);
});

test("nextAttemptAt() honours a longer Retry-After, up to a day", () => {
  assertEquals(nextAttemptAt(1, 0, 0, 3_600), 3_600_000);
  assertEquals(nextAttemptAt(1, 0, 0, 0.1), 500);
  assertEquals(nextAttemptAt(1, 0, 0, 999_999_999), 86_400_000);
});
