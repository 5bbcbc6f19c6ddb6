import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { judgeAttempt } from "./judge_attempt.ts";

const SECOND = 1_000;
const DAY = 86_400_000;

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
  // What an endpoint cannot answer with is no success either.
  for (const status of [0, 199]) assertEquals(kind(status, 1), "hold");
  const lost = (attempts: number) =>
    judgeAttempt({ kind: "failed", reason: "x" }, attempts, 0, 0).kind;
  assertEquals([lost(1), lost(10), lost(11)], ["hold", "hold", "exhausted"]);
});

test("judgeAttempt() reads Retry-After as seconds and as a date", () => {
  const next = (retryAfter: string | undefined, nowMs = 0) => {
    const verdict = judgeAttempt({ kind: "answered", status: 503, retryAfter }, 1, nowMs, 0);
    return verdict.kind === "hold" ? verdict.nextAttemptMs : undefined;
  };
  assertEquals(next("60"), 60_000);
  assertEquals(next("Thu, 01 Jan 1970 00:02:00 GMT"), 120_000);
  assertEquals(next("999999999"), DAY);
  const wrong = [
    "soon",
    "-5",
    "5 s",
    "9999999999",
    "Thu, 01 Jan 1970 00:02:00 GMT-1",
    "On Thu, 01 Jan 1970 00:02:00 GMT",
  ];
  for (const text of wrong) assertEquals(next(text), 500, text);
  assertEquals(next("Thu, 01 Jan 1970 00:00:00 GMT", 60 * SECOND), 60 * SECOND + 500);
  assertEquals(next("Thu, 01 Jan 1970 00:02:00 GMT", 60 * SECOND), 120 * SECOND);
  assertEquals(next(undefined), 500);
});

test("judgeAttempt() says why, by the status or what broke", () => {
  const refused = { kind: "answered", status: 422, retryAfter: undefined } as const;
  const [nextAttemptMs, asksForPause] = [500, false];
  assertEquals(judgeAttempt(refused, 1, 0, 0), {
    kind: "hold",
    status: 422,
    reason: "HTTP 422",
    nextAttemptMs,
    asksForPause,
  });
  assertEquals(judgeAttempt({ kind: "failed", reason: "timed out" }, 1, 0, 0), {
    kind: "hold",
    status: null,
    reason: "timed out",
    nextAttemptMs,
    asksForPause,
  });
  const gone = { kind: "gone", status: 410, reason: "HTTP 410" } as const;
  assertEquals(judgeAttempt({ ...refused, status: 410 }, 1, 0, 0), gone);
  const pause = judgeAttempt({ ...refused, status: 429 }, 1, 0, 0);
  assert(pause.kind === "hold" && pause.asksForPause);
});
