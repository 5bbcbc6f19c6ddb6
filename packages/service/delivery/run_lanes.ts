import { deliverLane, type DeliveryParts } from "./deliver_lane.ts";
import type { LeasedLane } from "./webhook_lanes.ts";

/** The runtime's timers, or a test's. */
export interface Timers {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** Which lanes are delivered, and how many at once. */
export interface LaneRunnerOptions {
  /** The parts for delivering in one lane; the worker itself adds `mayContinue`. */
  parts: Omit<DeliveryParts, "mayContinue">;
  /** A unique id of this worker, which owns the leases. */
  owner: string;
  /** How many lanes are delivered at once. */
  concurrency: number;
  /** How often to poll when nobody calls `wake`. */
  pollMs: number;
  /** False while this clock cannot be relied on: no lane is leased then. */
  isClockGood: () => boolean;
  /** For tests: takes the place of the runtime's own. */
  timers?: Timers;
}

/** The time until other workers get the lanes of a worker that dies (F76). */
const LEASE_MS = 5_000;
const RENEW_EVERY_MS = 1_500;
/** The time limit of a poll, since a statement on a lost connection may never be answered. */
const POLL_TIMEOUT_MS = 30_000;
/** Polls are at least this far apart, however often `wake` is called. */
const SHORTEST_GAP_MS = 50;
/** The number of events after which a lane makes room for waiting lanes. */
const TURN = 500;

/** Makes a worker that leases lanes with due events and delivers these; it does nothing until `start`. */
export function runLanes(options: LaneRunnerOptions) {
  const { owner, concurrency, pollMs, isClockGood } = options;
  const timers: Timers = options.timers ?? { setTimeout, clearTimeout };
  const { store, connections, now, log } = options.parts;
  const running = new Map<LeasedLane, Promise<void>>();
  const parts: DeliveryParts = {
    ...options.parts,
    mayContinue: (begun) =>
      state !== "stopped" && isClockGood() && (begun < TURN || running.size < concurrency),
  };
  let timer: unknown;
  let renewal: unknown;
  let polling: Promise<void> | undefined;
  let state: "idle" | "started" | "stopped" = "idle";
  let woken = false;

  /** Leases what is due and starts delivering it; returns the number of lanes. */
  async function poll(): Promise<number> {
    connections.sweep();
    const free = concurrency - running.size;
    if (free <= 0 || !isClockGood()) return 0;
    const except = Array.from(running.keys(), ({ partnerId }) => partnerId);
    const [nowMs, limit] = [now(), free];
    const leased = await store.lease({ owner, nowMs, untilMs: nowMs + LEASE_MS, except, limit });
    for (const lane of leased) {
      const work = deliverLane(parts, lane)
        .then((hasMore) => hasMore ? wake() : undefined)
        .catch((error) =>
          log.error("webhook delivery broke off", { partnerId: lane.partnerId, error })
        )
        .finally(() => running.delete(lane));
      running.set(lane, work);
    }
    return leased.length;
  }

  function renew(): void {
    renewal = timers.setTimeout(renew, RENEW_EVERY_MS);
    store.renew([...running.keys()], now() + LEASE_MS)
      .catch((error) => log.error("webhook leases cannot be renewed", { error }));
  }

  function schedule(ms: number): void {
    if (state !== "started") return;
    timers.clearTimeout(timer);
    timer = timers.setTimeout(() => {
      woken = false;
      polling = within(timers, POLL_TIMEOUT_MS, poll())
        .catch((error) => (log.error("webhook lanes cannot be read", { error }), 0))
        .then(() => schedule(woken ? SHORTEST_GAP_MS : pollMs))
        .finally(() => polling = undefined);
    }, ms);
  }

  function wake(): void {
    if (woken) return;
    woken = true;
    if (!polling) schedule(SHORTEST_GAP_MS);
  }

  return {
    /** Begins to poll. */
    start() {
      if (state !== "idle") return;
      state = "started";
      renewal = timers.setTimeout(renew, RENEW_EVERY_MS);
      schedule(0);
    },
    /** Leases no more lanes, and waits for deliveries in flight, at most for their time limit and 30 s. */
    async stop() {
      state = "stopped";
      timers.clearTimeout(timer);
      await polling;
      // Deliveries in flight end by their own time limits; a lost statement would not.
      const patienceMs = parts.timeoutMs + POLL_TIMEOUT_MS;
      await within(timers, patienceMs, Promise.all(running.values())).catch(() => {});
      timers.clearTimeout(renewal);
    },
    /** Polls soon, at most every 50 ms. */
    wake,
    /** Delivers all events that are due now, without timers; none while the clock is unreliable. */
    async runDue() {
      while (await poll() > 0 || running.size > 0) await Promise.all(running.values());
    },
  };
}

/** Waits for the promise; rejects if it takes longer than `ms`. */
async function within<T>(timers: Timers, ms: number, promise: Promise<T>): Promise<T> {
  let timer: unknown;
  const timeout = new Promise<never>((_, reject) => {
    timer = timers.setTimeout(() => reject(new Error(`did not end within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    timers.clearTimeout(timer);
  }
}
