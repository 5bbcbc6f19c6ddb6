import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { judgeAttempt } from "./judge_attempt.ts";
import { ATTEMPT_OFFSETS_MS, nextAttemptAt } from "./schedule.ts";

test("nextAttemptAt() follows the offsets of Decision D35 and ends after the last", () => {
  let atMs = 1_000_000;
  for (const offset of ATTEMPT_OFFSETS_MS.slice(1)) {
    atMs = nextAttemptAt(ATTEMPT_OFFSETS_MS.indexOf(offset), atMs, 0)!;
    assertEquals(atMs, 1_000_000 + offset);
  }
  assertEquals(nextAttemptAt(ATTEMPT_OFFSETS_MS.length, atMs, 0), undefined);
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

test("judgeAttempt() decides about the event and its lane by the answer", () => {
  const kind = (status: number, attempts: number) =>
    judgeAttempt({ kind: "answered", status, retryAfter: undefined }, attempts, 0, 0).kind;
  for (const status of [200, 201, 204, 299]) assertEquals(kind(status, 1), "delivered");
  for (const status of [301, 400, 401, 404, 422, 500, 502, 504]) {
    assertEquals([kind(status, 1), kind(status, 2), kind(status, 3)], ["hold", "hold", "park"]);
  }
  for (const status of [429, 503]) {
    assertEquals([kind(status, 3), kind(status, 9)], ["hold", "hold"]);
  }
  assertEquals([kind(410, 1), kind(410, 11)], ["gone", "gone"]);
  assertEquals([kind(500, 11), kind(503, 11)], ["exhausted", "exhausted"]);
  const lost = (attempts: number) =>
    judgeAttempt({ kind: "failed", reason: "x" }, attempts, 0, 0).kind;
  assertEquals([lost(1), lost(10), lost(11)], ["hold", "hold", "exhausted"]);
});

test("judgeAttempt() reads Retry-After as seconds and as a date", () => {
  const next = (retryAfter: string) => {
    const verdict = judgeAttempt({ kind: "answered", status: 503, retryAfter }, 1, 0, 0);
    return verdict.kind === "hold" ? verdict.nextAttemptMs : undefined;
  };
  assertEquals(next("60"), 60_000);
  assertEquals(next("Thu, 01 Jan 1970 00:02:00 GMT"), 120_000);
  assertEquals(next("soon"), 500);
  assertEquals(next("-5"), 500);
});
