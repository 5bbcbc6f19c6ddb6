import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { readDatabaseState } from "@sabika/database";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { createInstanceState } from "./instance_state.ts";

function stateAt(clock: { ms: number; steppedMs?: number }, logged: string[] = []) {
  return createInstanceState({
    register: { isFresh: () => true, refresh: () => Promise.resolve() },
    prices: {
      latest: () => ({ ok: true, buyHalalasPerGram: 1n, sellHalalasPerGram: 1n, asOfMs: clock.ms }),
    } as never,
    now: () => clock.ms + (clock.steppedMs ?? 0),
    monotonic: () => clock.ms,
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

test("health is bad from a failed write until a write works, or none comes for 10 s", async () => {
  const clock = { ms: 1_000_000 };
  const logged: string[] = [];
  const state = stateAt(clock, logged);
  assertEquals(await state.isHealthy(), true);
  state.noteWrite(false);
  state.noteWrite(false);
  assertEquals(await state.isHealthy(), false);
  assertEquals(await state.isReady(), true, "reads still go here");
  state.noteWrite(true);
  assertEquals(await state.isHealthy(), true);
  state.noteWrite(false);
  clock.ms += 10_000;
  assertEquals(await state.isHealthy(), true, "somebody has to try again");
  assertEquals(logged, ["writes_fail", "writes_work_again", "writes_fail"]);
});
