import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { virtualClock } from "../../../test/support/virtual_clock.ts";
import type { DeliveryParts } from "./deliver_lane.ts";
import { runLanes } from "./run_lanes.ts";
import type { LeasedLane } from "./webhook_lanes.ts";

const LANE = { partnerId: 7, url: "https://127.0.0.1/", inFlight: 1 } as LeasedLane;
const POLL_MS = 1_000;

/** Creates lanes on a virtual clock; records when they poll and renew, in ms after the start. */
function lanesAt(clock: ReturnType<typeof virtualClock>, leases: (poll: number) => unknown) {
  const polls: number[] = [];
  const renewed: number[] = [];
  const errors: string[] = [];
  let isClockGood = true;
  let free = () => {};
  const held = new Promise<string[]>((resolve) => free = () => resolve([]));
  const store = {
    lease: () => Promise.resolve(leases(polls.push(clock.now()))),
    renew: (lanes: LeasedLane[]) => Promise.resolve(lanes.forEach(() => renewed.push(clock.now()))),
    release: () => Promise.resolve(),
  };
  const parts = {
    store,
    now: clock.now,
    timeoutMs: 1_000,
    // A delivery waits here until `free` is called, and then fails.
    readSecrets: () => held.then(() => Promise.reject(new Error("let go"))),
    policy: { allowLoopback: true },
    connections: { sweep: () => {} },
    log: { error: (message: string) => errors.push(message) },
  } as object as DeliveryParts;
  const options = { owner: "me", concurrency: 2, pollMs: POLL_MS, timers: clock.timers };
  const lanes = runLanes({ parts, ...options, isClockGood: () => isClockGood });
  const breakClock = () => isClockGood = false;
  return { lanes, polls, renewed, errors, free, breakClock };
}

test("lanes are polled at once, and at each interval until they are stopped", async () => {
  const clock = virtualClock(0);
  const { lanes, polls } = lanesAt(clock, () => []);
  void clock.wait(2_500).then(() => lanes.stop()).then(() => lanes.start());
  lanes.start();
  lanes.start();
  await clock.run();
  assertEquals(polls, [0, 1_000, 2_000]);
});

test("a wake-up leads to an early poll, and many wake-ups to no more polls", async () => {
  const clock = virtualClock(0);
  const { lanes, polls } = lanesAt(clock, () => []);
  void clock.wait(200).then(() => [lanes.wake(), lanes.wake()]);
  void clock.wait(220).then(() => lanes.wake());
  void clock.wait(1_400).then(() => lanes.stop());
  lanes.start();
  await clock.run();
  assertEquals(polls, [0, 250, 1_250]);
});

test("no lane is leased while the clock is unreliable", async () => {
  const clock = virtualClock(0);
  const { lanes, polls, breakClock } = lanesAt(clock, () => []);
  void clock.wait(500).then(breakClock);
  void clock.wait(5_000).then(() => lanes.stop());
  lanes.start();
  await clock.run();
  assertEquals(polls, [0]);
});

test("a lane's lease is renewed during its delivery, for which stop() waits (F76)", async () => {
  const clock = virtualClock(0);
  const { lanes, renewed, errors, free } = lanesAt(clock, (poll) => poll === 1 ? [LANE] : []);
  let stoppedMs: number | undefined;
  void clock.wait(3_200).then(() => lanes.stop()).then(() => stoppedMs = clock.now());
  void clock.wait(5_000).then(free);
  lanes.start();
  await clock.run();
  assertEquals([renewed, stoppedMs], [[1_500, 3_000, 4_500], 5_000]);
  assertEquals(errors, ["webhook delivery broke off"]);
});

test("a poll that fails or hangs does not end the polling", async () => {
  const clock = virtualClock(0);
  const { lanes, polls, errors } = lanesAt(clock, (poll) => {
    if (poll === 1) return Promise.reject(new Error("the connection broke"));
    return poll === 2 ? new Promise(() => {}) : [];
  });
  void clock.wait(32_500).then(() => lanes.stop());
  lanes.start();
  await clock.run();
  assertEquals(polls, [0, 1_000, 32_000]);
  assert(errors.every((message) => message === "webhook lanes cannot be read"));
});
