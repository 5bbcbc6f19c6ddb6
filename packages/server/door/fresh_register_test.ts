import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { renewRegister, withinPatience } from "./fresh_register.ts";

/** A register whose refreshes take `refreshMs`, by a clock that only they move. */
function registerWith(refreshMs: number, startsAtMs: number) {
  const clock = { nowMs: 10_000 };
  let asOfMs = startsAtMs;
  let refreshes = 0;
  return {
    clock,
    refreshes: () => refreshes,
    isFresh: (nowMs: number) => nowMs - asOfMs <= 900,
    refresh: () => {
      refreshes++;
      const startedMs = clock.nowMs;
      clock.nowMs += refreshMs;
      asOfMs = startedMs;
      return Promise.resolve();
    },
  };
}

test("renewRegister() refreshes only a snapshot that is too old", async () => {
  const fresh = registerWith(10, 9_500);
  assertEquals(await renewRegister(fresh, () => fresh.clock.nowMs), true);
  assertEquals(fresh.refreshes(), 0);
  const stale = registerWith(10, 0);
  assertEquals(await renewRegister(stale, () => stale.clock.nowMs), true);
  assertEquals(stale.refreshes(), 1);
});

test("renewRegister() trusts a slow refresh that began after the call", async () => {
  const slow = registerWith(2_000, 0);
  assertEquals(await renewRegister(slow, () => slow.clock.nowMs), true);
  assertEquals(slow.refreshes(), 2);
});

test("renewRegister() gives false when the database does not answer", async () => {
  const away = { isFresh: () => false, refresh: () => Promise.reject(new Error("away")) };
  assertEquals(await renewRegister(away, () => 0), false);
});

test("a refresh that fails, or does not end within three seconds, is waited for no longer", async (t) => {
  assertEquals(await withinPatience(() => Promise.resolve()), true);
  assertEquals(await withinPatience(() => Promise.reject(new Error("away"))), false);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const waited = withinPatience(() => new Promise(() => {}));
  t.mock.timers.tick(3_000);
  assertEquals(await waited, false);
});

test("renewRegister() asks how long the partners of this cell may go on without control", async () => {
  const asked: (string | undefined)[] = [];
  const goesOn = {
    isFresh: (_: number, cellId?: string) => asked.push(cellId) > 0 && cellId === "east",
    refresh: () => Promise.reject(new Error("away")),
  };
  assertEquals(await renewRegister(goesOn, () => 0, "east"), true);
  assertEquals(await renewRegister(goesOn, () => 0, "west"), false);
  assertEquals(asked, ["east", "west", "west"]);
});
