import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { readDatabaseState } from "@sabika/database";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { createInstanceState } from "./instance_state.ts";

function stateAt(clock: { ms: number; steppedMs?: number }, logged: string[] = []) {
  return createInstanceState({
    register: { away: () => undefined, isFresh: () => true, refresh: () => Promise.resolve() },
    prices: {
      latest: () => ({ ok: true, buyHalalasPerGram: 1n, sellHalalasPerGram: 1n, asOfMs: clock.ms }),
    } as never,
    now: () => clock.ms + (clock.steppedMs ?? 0),
    monotonic: () => clock.ms,
    isUsable: (cellId) => cellId !== "away",
    log: (_level, event) => logged.push(event),
    clockOffsetLimitMs: undefined,
  });
}

test("a clock that is set is noticed at once, not at its next measurement (F19)", () => {
  const clock = { ms: 1_000_000, steppedMs: 0 };
  const logged: string[] = [];
  const state = stateAt(clock, logged);
  const measured = { offsetMs: 300, aheadMs: 0, acceptsWrites: true };
  state.update(measured);
  clock.ms += 4_000;
  assertEquals([state.isServing(), state.clockOffsetMs()], [true, 300]);
  clock.steppedMs = -600_000;
  assertEquals([state.isServing(), state.clockOffsetMs()], [false, -599_700]);
  state.update({ offsetMs: -599_700, aheadMs: -600_000, acceptsWrites: true });
  assertEquals(state.isServing(), false);
  clock.steppedMs = 0;
  assertEquals([state.isServing(), state.clockOffsetMs()], [true, 300]);
  state.update(measured);
  assertEquals(logged, ["clock_off", "clock_good_again"]);
});

test("the database's time goes on as it was measured, however the clock is set (F19)", () => {
  const clock = { ms: 1_000_000, steppedMs: 0 };
  const state = stateAt(clock);
  state.update({ offsetMs: 300, aheadMs: 0, acceptsWrites: true });
  for (const steppedMs of [0, 450_000, -600_000]) {
    clock.steppedMs = steppedMs;
    clock.ms += 4_000;
    assertEquals(state.databaseNow(), clock.ms - 300);
  }
});

test("a clock that is set while the database is asked for its time is noticed at once (F19)", async () => {
  const { app, close } = await openTestDatabase();
  const clock = { ms: Date.now(), steppedMs: 0 };
  const state = stateAt(clock);
  const asked = readDatabaseState(app, {
    now: () => clock.ms + clock.steppedMs,
    monotonic: () => clock.ms,
  });
  clock.steppedMs = 600_000;
  clock.ms += 100;
  state.update(await asked);
  assertEquals(state.isServing(), false);
  await close();
});

test("health is bad for those whose kind of write fails too often, whatever else works", async () => {
  const clock = { ms: 1_000_000 };
  const logged: string[] = [];
  const state = stateAt(clock, logged);
  const note = (route: string, worked: boolean, cellId = "main") =>
    state.noteWrite({ cellId, route, worked });
  const health = async () => [await state.isHealthy(), await state.isHealthy("b")];
  assertEquals(await health(), [true, true]);
  assertEquals(await state.isHealthy("away"), false);
  // A full disk: orders fail, quotes work, second after second.
  for (let second = 0; second < 20; second++) {
    clock.ms += 1_000;
    note("/v1/orders", second % 3 === 0);
    for (let n = 0; n < 5; n++) note("/v1/quotes", true);
    if (second > 0) assertEquals(await health(), [false, true], `second ${second}`);
  }
  assertEquals(state.failingWrites().map(({ cellId, kind, share }) => [cellId, kind, share]), [
    ["main", "order", 0.7],
  ]);
  assertEquals(await state.isReady(), true, "reads still go here");
  // One of ten is no failure of the kind, and what is past is past.
  clock.ms += 10_000;
  assertEquals(await health(), [true, true], "somebody has to try again");
  for (let n = 0; n < 10; n++) note("/v1/orders", n < 9, "b");
  assertEquals(await health(), [true, true]);
  note("/v1/orders", false, "b");
  assertEquals(await health(), [true, false]);
  for (let n = 0; n < 10; n++) note("/v1/orders", true, "b");
  assertEquals(await health(), [true, true]);
  assertEquals(logged, ["writes_fail", "writes_work_again", "writes_fail", "writes_work_again"]);
});
