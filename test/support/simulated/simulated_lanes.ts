import type { LaneStore } from "@sabika/service/delivery";
import { uuidV7 } from "@sabika/protocol";
import type { VirtualClock } from "./virtual_clock.ts";

type Leased = Awaited<ReturnType<LaneStore["lease"]>>[number];
type Failed = Parameters<LaneStore["hold"]>[1];
type Row = Awaited<ReturnType<LaneStore["events"]>>[number];

/** How an event stands that was not delivered at its first attempt. */
export interface ModelDelivery {
  state: "failing" | "delivered" | "exhausted";
  attempts: number;
  /** Null: it has no schedule of its own. */
  nextAttemptMs: number | null;
}

/** A partner's lane of the model. */
export interface ModelLane {
  readonly inFlight: number;
  next: bigint;
  attempts: number;
  nextAttemptMs: number;
  leasedBy: string | null;
  leasedUntilMs: number;
  isDisabled: boolean;
  readonly events: Row[];
  readonly deliveries: Map<bigint, ModelDelivery>;
}

/** What became of a statement on its way. */
const FATES = [
  /** The connection broke; nothing had arrived. */
  "lost before",
  /** The connection broke; it is carried out, before or after the caller hears of the break. */
  "lost after",
  /** Nothing is heard for long; then it is carried out after all. */
  "hangs",
] as const;

/**
 * The outbox as Decision D54 has it, in memory and in as few lines as will do, behind a database that
 * fails, delays, reorders and loses answers by chance.
 */
export function simulatedLanes(
  clock: VirtualClock,
  fraction: () => number,
  { faultShare, longestMs }: {
    faultShare: () => number;
    /** What a statement hangs at most. */
    longestMs: number;
  },
) {
  const lanes = new Map<number, ModelLane>();
  const below = (limit: number) => Math.floor(fraction() * limit);
  const random = (length: number) => Uint8Array.from({ length }, () => below(256));
  let onChange = () => {};
  const ask = unreliable(clock, fraction, { faultShare, longestMs, onChange: () => onChange() });
  const store = laneStore(lanes, ask);

  /** Opens a lane. */
  function open(partnerId: number, inFlight: number, attempts: number): ModelLane {
    const lane: ModelLane = {
      inFlight,
      next: 1n,
      attempts,
      nextAttemptMs: clock.now(),
      isDisabled: false,
      leasedBy: null,
      leasedUntilMs: 0,
      events: [],
      deliveries: new Map(),
    };
    lanes.set(partnerId, lane);
    return lane;
  }

  /** Writes an event at the end of a lane. */
  function write({ events }: ModelLane): void {
    const sequence = BigInt(events.length + 1);
    const none = { order: null, funding: null, withdrawal: null };
    const eventId = uuidV7(clock.now(), random);
    events.push({
      ...none,
      event: { sequence, eventId, type: "ping", createdAt: clock.now(), object: "{}" },
    });
  }

  return { lanes, open, write, store, onChange: (call: () => void) => void (onChange = call) };
}

type Ask = <T>(carryOut: () => T) => Promise<T>;

/** A way to the database that fails, delays and loses answers by chance. */
function unreliable(
  clock: VirtualClock,
  fraction: () => number,
  { faultShare, longestMs, onChange }: {
    faultShare: () => number;
    longestMs: number;
    onChange: () => void;
  },
): Ask {
  const below = (limit: number) => Math.floor(fraction() * limit);

  /** One statement or transaction of whoever is alive. */
  return async <T>(carryOut: () => T): Promise<T> => {
    const fate = fraction() < faultShare() ? FATES[below(FATES.length)]! : "done";
    await clock.wait(1 + below(20));
    if (fate === "lost before") throw new Error(fate);
    if (fate === "lost after") {
      void clock.wait(below(3_000)).then(carryOut).then(onChange);
      throw new Error(fate);
    }
    if (fate === "hangs") await clock.wait(below(longestMs));
    const answer = carryOut();
    onChange();
    await clock.wait(below(10));
    return answer;
  };
}

/** Who may lease a lane, and whose it is. */
function leasing(lanes: ReadonlyMap<number, ModelLane>) {
  const isDue = (nowMs: number) => ({ nextAttemptMs }: ModelDelivery) =>
    nextAttemptMs !== null && nextAttemptMs <= nowMs;
  const isOwn = ({ partnerId, owner }: Leased) => lanes.get(partnerId)!.leasedBy === owner;
  const isLeased = (leased: Leased) =>
    isOwn(leased) && lanes.get(leased.partnerId)!.next === leased.nextSequence;

  function lease({ owner, nowMs, untilMs, besides, limit }: Parameters<LaneStore["lease"]>[0]) {
    const due = [...lanes].filter(([partnerId, lane]) => {
      const hasScheduled = [...lane.deliveries.values()].some(isDue(nowMs));
      const isCursorDue = lane.nextAttemptMs <= nowMs && lane.events.length >= lane.next;
      const isFree = lane.leasedUntilMs <= nowMs;
      return !lane.isDisabled && !besides.includes(partnerId) && isFree &&
        (isCursorDue || hasScheduled);
    });
    due.sort(([, first], [, other]) => first.nextAttemptMs - other.nextAttemptMs);
    return due.slice(0, limit).map(([partnerId, lane]): Leased => {
      Object.assign(lane, { leasedBy: owner, leasedUntilMs: untilMs });
      return {
        partnerId,
        owner,
        leasedUntilMs: untilMs,
        url: `https://127.0.0.1:9000/${partnerId}`,
        nextSequence: lane.next,
        attempts: lane.attempts,
        inFlight: lane.inFlight,
        cursorDue: lane.nextAttemptMs <= nowMs,
        hasScheduled: [...lane.deliveries.values()].some(isDue(nowMs)),
      };
    });
  }

  return { isDue, isOwn, isLeased, lease };
}

const free = { leasedBy: null, leasedUntilMs: 0 };

function laneStore(lanes: ReadonlyMap<number, ModelLane>, ask: Ask): LaneStore {
  const { isDue, isOwn, isLeased, lease } = leasing(lanes);

  return {
    lease: (by) => ask(() => lease(by)),
    async renew(leased, untilMs) {
      if (leased.length === 0) return;
      const kept = await ask(() =>
        leased.map(({ partnerId, owner }) => {
          const lane = lanes.get(partnerId)!;
          if (lane.leasedBy === owner) lane.leasedUntilMs = untilMs;
          return lane.leasedBy === owner;
        })
      );
      leased.forEach((lane, index) => lane.leasedUntilMs = kept[index] ? untilMs : -Infinity);
    },
    release: (leased, nowMs) =>
      ask(() => {
        const lane = lanes.get(leased.partnerId)!;
        if (!isOwn(leased)) return;
        Object.assign(lane, free, {
          nextAttemptMs: Math.max(lane.nextAttemptMs, nowMs),
          next: isLeased(leased) ? leased.settledTo ?? lane.next : lane.next,
          attempts: leased.attempts,
        });
      }),
    async advance(leased, next) {
      const isDone = await ask(() => {
        const isOurs = isLeased(leased);
        if (isOurs) Object.assign(lanes.get(leased.partnerId)!, { next, attempts: 0 });
        return isOurs;
      });
      if (isDone) Object.assign(leased, { nextSequence: next, attempts: 0 });
      return isDone;
    },
    hold: (leased, failed, nextAttemptMs) =>
      ask(() => {
        if (!isLeased(leased)) return;
        const { partnerId } = leased;
        Object.assign(lanes.get(partnerId)!, free, { attempts: failed.attempts, nextAttemptMs });
        recordFailure(lanes, partnerId, failed, "failing", null);
      }),
    async skip(leased, failed, nextAttemptMs) {
      const next = failed.sequence + 1n;
      const isDone = await ask(() => {
        if (!isLeased(leased)) return false;
        const { partnerId } = leased;
        const moved = { next, attempts: 0, nextAttemptMs: failed.atMs };
        Object.assign(lanes.get(partnerId)!, moved);
        const state = nextAttemptMs === null ? "exhausted" : "failing";
        recordFailure(lanes, partnerId, failed, state, nextAttemptMs);
        return true;
      });
      if (isDone) Object.assign(leased, { nextSequence: next, attempts: 0 });
      return isDone;
    },
    disable: (leased) =>
      ask(() => {
        const lane = lanes.get(leased.partnerId)!;
        if (isLeased(leased)) Object.assign(lane, free, { isDisabled: true });
      }),
    events: ({ partnerId, fromSequence, limit }) =>
      ask(() => {
        const from = Number(fromSequence) - 1;
        return lanes.get(partnerId)!.events.slice(from, from + limit);
      }),
    due: (partnerId, nowMs, limit) =>
      ask(() =>
        [...lanes.get(partnerId)!.deliveries].filter(([, delivery]) => isDue(nowMs)(delivery))
          .map(([sequence, { attempts }]) => ({ sequence, attempts }))
          .sort((first, other) => Number(first.sequence - other.sequence)).slice(0, limit)
      ),
    postponeDue: (partnerId, nowMs, nextAttemptMs) =>
      ask(() => {
        const all = [...lanes.get(partnerId)!.deliveries.values()].filter(isDue(nowMs));
        for (const delivery of all) delivery.nextAttemptMs = nextAttemptMs;
      }),
    recordFailure: (...failure) => ask(() => recordFailure(lanes, ...failure)),
    recordDelivery: (partnerId, { sequence }) =>
      ask(() => {
        const row = lanes.get(partnerId)!.deliveries.get(sequence);
        if (row === undefined) return;
        Object.assign(row, {
          state: "delivered",
          attempts: row.attempts + 1,
          nextAttemptMs: null,
        });
      }),
    recordAttempts: () => ask(() => {}),
  };
}

function recordFailure(
  lanes: ReadonlyMap<number, ModelLane>,
  partnerId: number,
  { sequence, attempts }: Failed,
  state: "failing" | "exhausted",
  nextAttemptMs: number | null,
): void {
  lanes.get(partnerId)!.deliveries.set(sequence, { state, attempts, nextAttemptMs });
}
