import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { assertEquals } from "@std/assert";
import { laneInMemory } from "../../../test/support/lane_in_memory.ts";
import { virtualClock } from "../../../test/support/virtual_clock.ts";
import type { DeliveryParts } from "./deliver_lane.ts";
import { runLanes } from "./run_lanes.ts";
import type { LaneStore } from "./lane_store.ts";
import type { LeasedLane } from "./webhook_lanes.ts";

const LANE = { partnerId: 7, url: "https://127.0.0.1/", inFlight: 1 } as LeasedLane;
const POLL_MS = 1_000;
const LEASE_MS = 5_000;
const AWAY = new Error("away");

/** Creates lanes on a virtual clock; records when they poll and renew, in ms after the start. */
function lanesAt(clock: ReturnType<typeof virtualClock>, leases: (poll: number) => unknown) {
  const polls: number[] = [];
  const renewed: number[] = [];
  const errors: [string, object][] = [];
  const asked: object[] = [];
  let sweeps = 0;
  let isClockGood = true;
  let isAway = false;
  let free = () => {};
  const held = new Promise<string[]>((resolve) => free = () => resolve([]));
  const store = {
    lease: (by: object) => {
      asked.push(by);
      return Promise.resolve(leases(polls.push(clock.now())));
    },
    renew: (lanes: LeasedLane[], untilMs: number) => {
      if (lanes.length > 0) renewed.push(untilMs - LEASE_MS);
      return isAway ? Promise.reject(AWAY) : Promise.resolve();
    },
    release: () => Promise.resolve(),
  };
  const parts = {
    store,
    now: clock.now,
    timeoutMs: 1_000,
    // A delivery waits here until `free` is called, and then fails.
    readSecrets: () => held.then(() => Promise.reject(AWAY)),
    policy: { allowLoopback: true },
    connections: { sweep: () => sweeps++ },
    log: { error: (...said: [string, object]) => errors.push(said) },
  } as object as DeliveryParts;
  const options = { owner: "me", concurrency: 2, pollMs: POLL_MS, timers: clock.timers };
  const lanes = runLanes({ parts, ...options, isClockGood: () => isClockGood });
  const breakClock = () => isClockGood = false;
  const breakDatabase = () => isAway = true;
  const told = { polls, asked, renewed, errors, sweeps: () => sweeps };
  return { lanes, ...told, free, breakClock, breakDatabase };
}

test("lanes are polled at once, and at each interval until they are stopped", async () => {
  const clock = virtualClock(0);
  const { lanes, polls, sweeps } = lanesAt(clock, () => []);
  void clock.wait(2_500).then(() => lanes.stop()).then(() => lanes.start());
  void clock.wait(100).then(() => [lanes.start(), lanes.start()]);
  lanes.wake();
  await clock.run();
  assertEquals([polls, sweeps()], [[100, 1_100, 2_100], 3]);
  assertEquals(clock.now(), 2_500, "no timer is left");
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
  assertEquals(errors.map(([message]) => message), ["webhook delivery broke off"]);
  const [[, fields]] = errors as [[string, { partnerId: number; error: Error }]];
  assertEquals([fields.partnerId, fields.error instanceof Error], [7, true]);
});

test("a worker leases as many lanes as it has room for, and none that it has", async () => {
  const clock = virtualClock(0);
  const other = { ...LANE, partnerId: 8 };
  const { lanes, asked, free } = lanesAt(clock, (poll) => [[LANE], [other]][poll - 1] ?? []);
  void clock.wait(3_500).then(free);
  void clock.wait(4_500).then(() => lanes.stop());
  lanes.start();
  await clock.run();
  const by = (nowMs: number, except: number[]) => {
    return { owner: "me", nowMs, untilMs: nowMs + LEASE_MS, except, limit: 2 - except.length };
  };
  assertEquals(asked, [by(0, []), by(1_000, [7]), by(4_000, [])]);
});

test("leases that cannot be renewed are told, and renewed as soon as they can be", async () => {
  const clock = virtualClock(0);
  const { lanes, errors, breakDatabase } = lanesAt(clock, () => []);
  breakDatabase();
  void clock.wait(3_100).then(() => lanes.stop());
  lanes.start();
  await clock.run();
  const told = ["webhook leases cannot be renewed", { error: AWAY }] as const;
  assertEquals(errors, [[...told], [...told]]);
});

test("runDue() waits for deliveries that were under way", async () => {
  const clock = virtualClock(0);
  const { lanes, free } = lanesAt(clock, (poll) => poll === 1 ? [LANE] : []);
  let endedMs: number | undefined;
  void clock.wait(100).then(() => lanes.runDue()).then(() => endedMs = clock.now());
  void clock.wait(500).then(free);
  void clock.wait(600).then(() => lanes.stop());
  lanes.start();
  await clock.run();
  assertEquals(endedMs, 500);
});

test("stop() waits for a poll, after which there is none", async () => {
  const clock = virtualClock(0);
  const { lanes, polls } = lanesAt(clock, () => clock.wait(500).then(() => []));
  let stoppedMs: number | undefined;
  void clock.wait(1_700).then(() => lanes.stop()).then(() => stoppedMs = clock.now());
  lanes.start();
  await clock.run();
  assertEquals([polls, stoppedMs], [[0, 1_500], 2_000]);
});

test("a lane begins no more events when the worker stops, or its clock is wrong", async () => {
  for (const what of ["stop", "clock"]) {
    const { lane, parts, sent } = laneInMemory({ count: 9 });
    let isClockGood = true;
    let turns = 0;
    const lanes = runLanes({
      parts: {
        ...parts,
        store: {
          ...parts.store as LaneStore,
          lease: () => Promise.resolve(turns > 0 ? [] : [lane]),
        },
        async pace() {
          if (++turns < 3) return;
          if (what === "clock") isClockGood = false;
          else void lanes.stop();
        },
      },
      owner: "me",
      concurrency: 2,
      pollMs: POLL_MS,
      isClockGood: () => isClockGood,
    });
    await lanes.runDue();
    assertEquals(sent, [1, 2], what);
  }
});

/** Delivers in a lane with 501 events; returns how many were sent, and the timers that were set. */
async function deliverALot(concurrency: number) {
  let released = () => {};
  const isReleased = new Promise<void>((resolve) => released = resolve);
  const { lane, parts, sent } = laneInMemory({ count: 501, attemptMs: 1 });
  const waits: number[] = [];
  let poll = () => {};
  const lanes = runLanes({
    parts: {
      ...parts,
      store: {
        ...parts.store as LaneStore,
        lease: () => Promise.resolve([lane]),
        release: () => Promise.resolve(released()),
      },
    },
    owner: "me",
    concurrency,
    pollMs: POLL_MS,
    isClockGood: () => true,
    timers: {
      setTimeout(run, ms) {
        waits.push(ms);
        if (ms === 0) poll = run;
      },
      clearTimeout: () => {},
    },
  });
  lanes.start();
  poll();
  await isReleased;
  await turn();
  return [sent.length, waits];
}

test("a lane makes room for others when there is none, and is then polled soon", async () => {
  const begin = [1_500, 0, 30_000, POLL_MS];
  assertEquals(await deliverALot(2), [501, begin]);
  assertEquals(await deliverALot(1), [500, [...begin, 50]]);
});

test("a poll that fails or hangs does not end the polling", async () => {
  const clock = virtualClock(0);
  const { lanes, polls, errors } = lanesAt(clock, (poll) => {
    if (poll === 1) return Promise.reject(AWAY);
    return poll === 2 ? new Promise(() => {}) : [];
  });
  void clock.wait(1_500).then(() => lanes.wake());
  void clock.wait(31_500).then(() => lanes.stop());
  lanes.start();
  await clock.run();
  assertEquals(polls, [0, 1_000, 31_050]);
  const hung = new Error("did not end within 30000 ms");
  assertEquals(errors, [AWAY, hung].map((error) => ["webhook lanes cannot be read", { error }]));
});
