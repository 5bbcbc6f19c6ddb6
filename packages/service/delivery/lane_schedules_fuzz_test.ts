import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { formatWebhookSecret, uuidV7 } from "@sabika/protocol";
import { fuzz } from "../../../test/support/fuzz/fuzz.ts";
import { seedOf } from "../../../test/support/fuzz/seed_of.ts";
import { seeded } from "../../../test/support/seeded.ts";
import { simulatedEndpoint } from "../../../test/support/simulated/simulated_endpoint.ts";
import { type ModelLane, simulatedLanes } from "../../../test/support/simulated/simulated_lanes.ts";
import { simulatedProcess } from "../../../test/support/simulated/simulated_process.ts";
import { type VirtualClock, virtualClock } from "../../../test/support/simulated/virtual_clock.ts";
import { createAttemptLog } from "./attempt_log.ts";
import { keepConnections } from "./kept_connections.ts";
import type { LaneStore } from "./lane_store.ts";
import type { EndpointOptions } from "./post_webhook.ts";
import { runLanes } from "./run_lanes.ts";
import { ATTEMPT_OFFSETS_MS } from "./schedule.ts";

// (F73, F76) Two processes deliver two partners' events over a database that fails, delays, reorders and loses
// answers, to endpoints that fail in many ways, while processes are stopped and killed: no event is passed that
// was neither taken nor written down as failed, and all arrive when the trouble is over.

const START_MS = 1_795_167_000_000;
/** Longer than a lease that nobody renews. */
const TIMEOUT_MS = 6_000;
/** Faults begin within this time; then all is well. */
const TROUBLE_MS = 6_000;
/** Longer than a lease. */
const LONGEST_STOP_MS = 6_500;
/** When nothing of the trouble is under way any more: neither a statement nor an attempt, nor a lease. */
const CALM_MS = TROUBLE_MS + LONGEST_STOP_MS + TIMEOUT_MS + 1_500;
const SETTLED_MS = CALM_MS + 5_000;
const SECRET = formatWebhookSecret(new Uint8Array(32));

/** A process that delivers, and what it is given to do so. */
function deliver(
  clock: VirtualClock,
  wholeStore: LaneStore,
  connect: ReturnType<typeof simulatedEndpoint>["connect"],
  below: (limit: number) => number,
) {
  const simulated = simulatedProcess(clock);
  const store = simulated.inside(wholeStore);
  const random = (length: number) => Uint8Array.from({ length }, () => below(256));
  const runner = runLanes({
    parts: {
      store,
      now: clock.now,
      random,
      timeoutMs: TIMEOUT_MS,
      environment: "sandbox",
      attempts: createAttemptLog(store.recordAttempts),
      pace: () => Promise.resolve(),
      readSecrets: () => Promise.resolve([SECRET]),
      policy: { allowLoopback: true, resolve: () => Promise.reject(new Error("no name")) },
      trust: {} as EndpointOptions["trust"],
      connections: keepConnections((to) => simulated.inside(connect(to)), clock.now),
      log: { warn: () => {}, error: () => {} },
      metrics: { attempt: () => {} },
    },
    owner: uuidV7(clock.now(), random),
    concurrency: 4,
    pollMs: 1_500,
    isClockGood: () => true,
    timers: simulated.timers,
  });
  return { ...simulated, runner };
}

/** Carries one schedule out; returns what kind it was of. */
async function runSchedule(seed: number): Promise<string> {
  const fraction = seeded(seed);
  const below = (limit: number) => Math.floor(fraction() * limit);
  const clock = virtualClock(START_MS);
  // A quarter of all schedules has no trouble at all: then each event arrives once.
  const isCalm = below(4) === 0;
  const isOver = () => isCalm || clock.now() > START_MS + TROUBLE_MS;
  const share = fraction() * 0.3;
  const faultShare = () => isOver() ? 0 : share;
  // A worker takes whatever is thrown under it for trouble of the database.
  const found: unknown[] = [];
  const passed = new Map<number, bigint>();
  const onChange = () => {
    try {
      for (const [partnerId, lane] of model.lanes) {
        judgeLane(partnerId, lane, passed.get(partnerId) ?? 1n, endpoints.taken);
        passed.set(partnerId, lane.next);
      }
    } catch (error) {
      found.push(error);
    }
  };
  const faults = { faultShare, longestMs: LONGEST_STOP_MS };
  const model = simulatedLanes(clock, fraction, faults, onChange);
  for (const partnerId of [1, 2]) {
    // One in six has an event at its last attempt.
    const attempts = isCalm || below(6) > 0 ? 0 : ATTEMPT_OFFSETS_MS.length - 1;
    model.open(partnerId, [1, 3][below(2)]!, attempts);
  }
  const endpoints = simulatedEndpoint(clock, fraction, {
    isWell: isOver,
    isQuick: () => clock.now() > START_MS + CALM_MS,
    timeoutMs: TIMEOUT_MS,
  });
  const workers = [1, 2].map(() => deliver(clock, model.store, endpoints.connect, below));
  let wasDisabled = false;

  const programs = [
    ...workers.map((worker) => live(worker, clock, below(2_000))),
    ...[...model.lanes.values()].map(async (lane) => {
      for (let left = 1 + below(6); left > 0; left--) {
        await clock.wait(below(1_500));
        model.write(lane);
        workers[below(2)]!.runner.wake();
      }
    }),
    (async () => {
      if (isCalm) return;
      await clock.wait(below(TROUBLE_MS));
      const victim = workers[below(2)]!;
      if (below(2) === 0) return victim.kill();
      victim.stop();
      await clock.wait(below(LONGEST_STOP_MS));
      victim.goOn();
    })(),
    (async () => {
      await clock.wait(CALM_MS);
      wasDisabled = [...model.lanes.values()].some(({ isDisabled }) => isDisabled);
      for (const lane of model.lanes.values()) enable(lane, clock.now());
      await clock.wait(SETTLED_MS - CALM_MS);
      for (const [partnerId, lane] of model.lanes) judgeEnd(partnerId, lane, endpoints.taken);
    })(),
  ];
  const ended = Promise.allSettled(programs);
  await clock.run();
  const failed = (await ended).find((outcome) => outcome.status === "rejected");
  if (found.length > 0) throw found[0];
  if (failed !== undefined) throw failed.reason;
  for (const [partnerId, { inFlight, events }] of model.lanes) {
    const begun = endpoints.begun(partnerId);
    assertEquals(
      begun.firsts,
      events.map((_, index) => index + 1),
      "in the sequence of numbers",
    );
    if (!isCalm) continue;
    assertEquals(begun.all, begun.firsts, "each event once where nothing fails");
    assert(begun.mostAtOnce <= inFlight, `${begun.mostAtOnce} at once`);
  }
  return wasDisabled ? "an endpoint was gone" : "accepted";
}

/** Runs until all is settled; of a process that was killed nothing is waited for. */
async function live(
  { runner, isKilled }: ReturnType<typeof deliver>,
  clock: VirtualClock,
  afterMs: number,
): Promise<void> {
  await clock.wait(afterMs);
  runner.start();
  await clock.wait(SETTLED_MS - afterMs);
  if (!isKilled()) await runner.stop();
}

type Taken = ReturnType<typeof simulatedEndpoint>["taken"];

/** What holds at every moment (I11). */
function judgeLane(partnerId: number, lane: ModelLane, passed: bigint, taken: Taken): void {
  const { next, deliveries } = lane;
  assert(next >= passed, `the cursor of ${partnerId} went back from ${passed} to ${next}`);
  for (let sequence = 1n; sequence < next; sequence++) {
    const isWrittenDown = deliveries.has(sequence);
    assert(isWrittenDown || taken(partnerId, sequence), `${partnerId} ${sequence} is passed over`);
  }
  for (const [sequence, { state, attempts }] of deliveries) {
    const what = `${partnerId} ${sequence} ${state}`;
    if (state === "delivered") assert(taken(partnerId, sequence), `${what} and was not taken`);
    if (state === "exhausted") assertEquals(attempts, ATTEMPT_OFFSETS_MS.length, what);
  }
}

/** An operator sees to it: what waits is tried at once (D35). */
function enable(lane: ModelLane, nowMs: number): void {
  Object.assign(lane, { isDisabled: false, nextAttemptMs: nowMs });
  for (const delivery of lane.deliveries.values()) {
    if (delivery.state === "failing") {
      delivery.nextAttemptMs = delivery.nextAttemptMs === null ? null : nowMs;
    }
  }
}

function judgeEnd(partnerId: number, lane: ModelLane, taken: Taken): void {
  const { events, next, deliveries } = lane;
  assertEquals(next, BigInt(events.length + 1), `the lane of ${partnerId} stands still`);
  for (const { event: { sequence } } of events) {
    const isExhausted = deliveries.get(sequence)?.state === "exhausted";
    assert(isExhausted || taken(partnerId, sequence), `${partnerId} ${sequence} never arrived`);
  }
}

test(
  "fuzz: whatever fails on its way, each event is taken, or written down as failed (F76)",
  fuzz({ samples: ["a", "b", "c", "d"], judge: (input) => runSchedule(seedOf(input)) }),
);
