import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { Call } from "./history.ts";
import { unconcerned } from "./judge.ts";
import type { Struck } from "./strikes.ts";

/** A fault from 1,000 to 2,000 ms that concerns the first partner alone. */
const OF_THE_FIRST: Struck = {
  strike: { number: 1, atOperation: 0, names: ["stop PostgreSQL of a cell"], holdMs: 500, seed: 1 },
  ...{ recoveredMs: 100, trouble: "", beganMs: 1_000, endedMs: 2_000 },
  concerned: new Set([1]),
};

const call = (partner: number, startMs: number, status: number): Call => ({
  ...{ number: 0, partner, kind: "order", key: "", nonce: "", body: "", startMs },
  ...{ endMs: startMs + 10, outcome: "fail", status, code: "", answer: "", isReplay: false },
});

const found = (calls: Call[], struck = [OF_THE_FIRST]) =>
  unconcerned(struck, calls).map(({ partner }) => partner);

test("a refusal by a fault of one cell is a violation where the partner lives in another", () => {
  assertEquals(found([call(1, 1_500, 503), call(2, 1_500, 200)]), []);
  assertEquals(found([call(1, 1_500, 503), call(2, 1_500, 503)]), [2]);
});

test("what was refused before it, or by a fault that concerns all, is none", () => {
  assertEquals(found([call(2, 900, 503)]), []);
  assertEquals(found([call(2, 1_500, 503)], [{ ...OF_THE_FIRST, concerned: undefined }]), []);
});

test("what is still under way when the next fault strikes may be struck by that one", () => {
  const next = { ...OF_THE_FIRST, beganMs: 2_005, endedMs: 3_000, concerned: undefined };
  assertEquals(found([call(2, 1_999, 503)], [OF_THE_FIRST, next]), []);
  assertEquals(found([call(2, 1_990, 503)], [OF_THE_FIRST, next]), [2]);
  assertEquals(found([call(2, 1_999, 503)]), [2]);
});

test("a machine that refuses calls between faults is allowed twice that share, and no more", () => {
  const calm = [...Array(90)].map(() => call(2, 5_000, 200)).concat(
    [...Array(10)].map(() => call(2, 5_000, 503)),
  );
  const meanwhile = (refused: number) =>
    [...Array(100)].map((_, n) => call(2, 1_500, n < refused ? 503 : 200));
  assertEquals(found([...calm, ...meanwhile(20)]), []);
  assertEquals(found([...calm, ...meanwhile(40)]).length, 40);
});
