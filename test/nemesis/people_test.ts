import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { judgeCounts, judgeDecisions } from "./people.ts";

test("people's acts are judged: lost, doubled, without two people, without an entry", () => {
  const decided = (request: string, verb: "approve" | "reject", isAcknowledged = true) => ({
    request,
    verb,
    isAcknowledged,
  });
  const decisions = [
    decided("a", "approve"),
    decided("b", "reject"),
    decided("c", "approve", false),
  ];
  const judge = (done: Record<string, number>, logged: number | null = 60) =>
    judgeDecisions(
      decisions,
      Object.entries(done).map(([request, times]) => ({ request, times })),
      { seconds: 60, logged },
    ).map(({ invariant, what }) => `${invariant} ${what}`);
  assertEquals(judge({ a: 1 }), []);
  assertEquals(judge({ a: 1, c: 1 }), [], "an approval whose answer was lost");
  assertEquals(judge({ c: 1 }), ["I6 the act of an approval is lost: a"]);
  assertEquals(judge({ a: 2 }), ["I5 an act was done twice: a"]);
  assertEquals(judge({ a: 1, b: 1 }), ["I10 an act was done without two: b"]);
  assertEquals(judge({ a: 1, d: 1 }), ["I10 an act was done without two: d"]);
  assertEquals(judge({ a: 1 }, 61), ["I6 the office waits 60 s, its log says 61"]);
});

test("counts are judged: lost, and more than were asked for", () => {
  const judge = (kept: string[]) =>
    judgeCounts({ asked: 2, acknowledged: ["a"] }, kept).map(({ what }) => what);
  assertEquals(judge(["a"]), []);
  assertEquals(judge(["b", "a"]), [], "a count whose answer was lost");
  assertEquals(judge(["b"]), ["a count is lost: a"]);
  assertEquals(judge(["a", "b", "c"]), ["2 counts were asked for, 3 are kept"]);
});
