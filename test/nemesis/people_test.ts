import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { judgeDecisions } from "./people.ts";

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
