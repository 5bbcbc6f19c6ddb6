import type { LaneStore } from "@sabika/service/delivery";
import { uuidV7 } from "@sabika/protocol";
import type { VirtualClock } from "./virtual_clock.ts";

type Leased = Awaited<ReturnType<LaneStore["lease"]>>[number];
type Row = Awaited<ReturnType<LaneStore["events"]>>[number];

/** How an event stands that was not delivered at its first attempt. */
interface ModelDelivery {
  state: "failing" | "delivered" | "exhausted";
  attempts: number;
  /** Epoch milliseconds; null: it has no schedule of its own. */
  nextAttemptMs: number | null;
}

/** A partner's lane of the model. */
export interface ModelLane {
  readonly inFlight: number;
  next: bigint;
  attempts: number;
  /** Epoch milliseconds. */
  nextAttemptMs: number;
  leasedBy: string | null;
  leasedUntilMs: number;
  isDisabled: boolean;
  readonly events: Row[];
  readonly deliveries: Map<bigint, ModelDelivery>;
}

interface Faults {
  /** The share of statements that something befalls, 0 ≤ share < 1. */
  readonly faultShare: () => number;
  /** The longest that a statement hangs. */
  readonly longestMs: number;
}

const FREE = { leasedBy: null, leasedUntilMs: 0 };

/**
 * The outbox as Decision D54 has it, in memory and in as few lines as will do, behind a database that
 * fails, delays, reorders and loses answers by chance.
 *
 * @param onChange called after each statement that was carried out
 */
export function simulatedLanes(
  clock: VirtualClock,
  fraction: () => number,
  faults: Faults,
  onChange: () => void,
) {
  const lanes = new Map<number, ModelLane>();
  const random = (length: number) =>
    Uint8Array.from({ length }, () => Math.floor(fraction() * 256));
  return {
    lanes,
    store: laneStore(lanes, unreliable(clock, fraction, faults, onChange)),
    open(partnerId: number, inFlight: number, attempts: number): void {
      lanes.set(partnerId, {
        inFlight,
        next: 1n,
        attempts,
        nextAttemptMs: clock.now(),
        isDisabled: false,
        ...FREE,
        events: [],
        deliveries: new Map(),
      });
    },
    /** Writes an event at the end of a lane. */
    write({ events }: ModelLane): void {
      const sequence = BigInt(events.length + 1);
      const eventId = uuidV7(clock.now(), random);
      const event = {
        sequence,
        eventId,
        type: "ping",
        createdAt: clock.now(),
        object: "{}",
      } as const;
      events.push({ event, order: null, funding: null, withdrawal: null });
    },
  };
}

type Ask = <T>(carryOut: () => T) => Promise<T>;

/** A way to the database: each statement may be lost before or after it is carried out, or hang. */
function unreliable(
  clock: VirtualClock,
  fraction: () => number,
  { faultShare, longestMs }: Faults,
  onChange: () => void,
): Ask {
  const below = (limit: number) => Math.floor(fraction() * limit);
  return async <T>(carryOut: () => T): Promise<T> => {
    const fate = fraction() < faultShare()
      ? (["lost before", "lost after", "hangs"] as const)[below(3)]
      : "done";
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

/** The events of a lane that are due by a schedule of their own. */
const dueIn = ({ deliveries }: ModelLane, nowMs: number) =>
  [...deliveries].filter(([, { nextAttemptMs }]) =>
    nextAttemptMs !== null && nextAttemptMs <= nowMs
  );

/** Leases the lanes that something is due in, the longest due first. */
function lease(
  lanes: ReadonlyMap<number, ModelLane>,
  { owner, nowMs, untilMs, besides, limit }: Parameters<LaneStore["lease"]>[0],
): Leased[] {
  const due = [...lanes].filter(([partnerId, lane]) => {
    const isCursorDue = lane.nextAttemptMs <= nowMs && lane.events.length >= lane.next;
    return !lane.isDisabled && !besides.includes(partnerId) && lane.leasedUntilMs <= nowMs &&
      (isCursorDue || dueIn(lane, nowMs).length > 0);
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
      hasScheduled: dueIn(lane, nowMs).length > 0,
    };
  });
}

function laneStore(lanes: ReadonlyMap<number, ModelLane>, ask: Ask): LaneStore {
  const laneOf = ({ partnerId }: Pick<Leased, "partnerId">) => lanes.get(partnerId)!;
  const isOwn = (leased: Leased) => laneOf(leased).leasedBy === leased.owner;
  const isLeased = (leased: Leased) => isOwn(leased) && laneOf(leased).next === leased.nextSequence;
  const recordFailure: (...failure: Parameters<LaneStore["recordFailure"]>) => void = (
    partnerId,
    { sequence, attempts },
    state,
    nextAttemptMs,
  ) => void laneOf({ partnerId }).deliveries.set(sequence, { state, attempts, nextAttemptMs });

  /** Moves the cursor of a lane that is still its owner's, and of what the owner knows of it. */
  async function moveOn(leased: Leased, next: bigint, alsoDo = () => {}): Promise<boolean> {
    const isDone = await ask(() => {
      if (!isLeased(leased)) return false;
      Object.assign(laneOf(leased), { next, attempts: 0 });
      alsoDo();
      return true;
    });
    if (isDone) Object.assign(leased, { nextSequence: next, attempts: 0 });
    return isDone;
  }

  return {
    lease: (by) => ask(() => lease(lanes, by)),
    async renew(leased, untilMs) {
      if (leased.length === 0) return;
      const kept = await ask(() =>
        leased.map((lane) => {
          if (isOwn(lane)) laneOf(lane).leasedUntilMs = untilMs;
          return isOwn(lane);
        })
      );
      leased.forEach((lane, index) => lane.leasedUntilMs = kept[index] ? untilMs : -Infinity);
    },
    release: (leased, nowMs) =>
      ask(() => {
        const lane = laneOf(leased);
        if (!isOwn(leased)) return;
        Object.assign(lane, FREE, {
          nextAttemptMs: Math.max(lane.nextAttemptMs, nowMs),
          next: isLeased(leased) ? leased.settledTo ?? lane.next : lane.next,
          attempts: leased.attempts,
        });
      }),
    advance: (leased, next) => moveOn(leased, next),
    hold: (leased, failed, nextAttemptMs) =>
      ask(() => {
        if (!isLeased(leased)) return;
        Object.assign(laneOf(leased), FREE, { attempts: failed.attempts, nextAttemptMs });
        recordFailure(leased.partnerId, failed, "failing", null);
      }),
    skip: (leased, failed, nextAttemptMs) =>
      moveOn(leased, failed.sequence + 1n, () => {
        laneOf(leased).nextAttemptMs = failed.atMs;
        const state = nextAttemptMs === null ? "exhausted" : "failing";
        recordFailure(leased.partnerId, failed, state, nextAttemptMs);
      }),
    disable: (leased) =>
      ask(() => {
        if (isLeased(leased)) Object.assign(laneOf(leased), FREE, { isDisabled: true });
      }),
    events: ({ partnerId, fromSequence, limit }) =>
      ask(() => {
        const from = Number(fromSequence) - 1;
        return laneOf({ partnerId }).events.slice(from, from + limit);
      }),
    due: (partnerId, nowMs, limit) =>
      ask(() =>
        dueIn(laneOf({ partnerId }), nowMs)
          .map(([sequence, { attempts }]) => ({ sequence, attempts }))
          .sort((first, other) => Number(first.sequence - other.sequence)).slice(0, limit)
      ),
    postponeDue: (partnerId, nowMs, nextAttemptMs) =>
      ask(() => {
        for (const [, delivery] of dueIn(laneOf({ partnerId }), nowMs)) {
          delivery.nextAttemptMs = nextAttemptMs;
        }
      }),
    recordFailure: (...failure) => ask(() => recordFailure(...failure)),
    recordDelivery: (partnerId, { sequence }) =>
      ask(() => {
        const row = laneOf({ partnerId }).deliveries.get(sequence);
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
