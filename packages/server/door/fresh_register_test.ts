import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { renewRegister } from "./fresh_register.ts";

/** A register whose looks take so long, by a clock that only they move. */
function registerWith(lookMs: number, startsAtMs: number) {
  const clock = { nowMs: 10_000 };
  let asOfMs = startsAtMs;
  let looks = 0;
  return {
    clock,
    looks: () => looks,
    isFresh: (nowMs: number) => nowMs - asOfMs <= 900,
    refresh: () => {
      looks++;
      const startedMs = clock.nowMs;
      clock.nowMs += lookMs;
      asOfMs = startedMs;
      return Promise.resolve();
    },
  };
}

test("renewRegister() looks only when the picture is too old", async () => {
  const fresh = registerWith(10, 9_500);
  assertEquals(await renewRegister(fresh, () => fresh.clock.nowMs), true);
  assertEquals(fresh.looks(), 0);
  const stale = registerWith(10, 0);
  assertEquals(await renewRegister(stale, () => stale.clock.nowMs), true);
  assertEquals(stale.looks(), 1);
});

test("renewRegister() believes a slow look that began after it was asked", async () => {
  const slow = registerWith(2_000, 0);
  assertEquals(await renewRegister(slow, () => slow.clock.nowMs), true);
  assertEquals(slow.looks(), 2);
});

test("renewRegister() says no when the database does not answer", async () => {
  const away = { isFresh: () => false, refresh: () => Promise.reject(new Error("away")) };
  assertEquals(await renewRegister(away, () => 0), false);
});
