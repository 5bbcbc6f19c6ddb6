import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { createInstanceState } from "./instance_state.ts";

test("health follows what writes can do: bad from a failed one until one works or none comes", async () => {
  const clock = { ms: 1_000_000 };
  const logged: string[] = [];
  const state = createInstanceState({
    register: { isFresh: () => true, refresh: () => Promise.resolve() },
    prices: {
      latest: () => ({ ok: true, buyHalalasPerGram: 1n, sellHalalasPerGram: 1n, asOfMs: clock.ms }),
    } as never,
    now: () => clock.ms,
    log: (_level, event) => logged.push(event),
    clockOffsetLimitMs: undefined,
  });
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
