import type { EventRow } from "../events/render_event.ts";
import type { LaneStore } from "./lane_store.ts";
import type { LeasedLane } from "./webhook_lanes.ts";

/** An event to be sent now. */
export interface Delivery {
  row: EventRow;
  /** This one, and those that failed before. */
  attempts: number;
  /** Whether it has a schedule of its own: it was parked, or asked for again. */
  isScheduled: boolean;
}

/** How many events of a lane are read at once, whatever its backlog (F81). */
const BATCH = 50;
/** How often a busy lane looks for what has become due beside its sequence. */
const LOOK_EVERY_MS = 500;

/**
 * What is to be sent in a lane: the events with a schedule of their own that are due, then the lane
 * from its cursor; a batch is read when the one before has been taken.
 *
 * @param underWay sequences with a schedule of their own, from here until their outcome is written
 */
export async function* deliveriesOf(
  { store, now }: { store: Pick<LaneStore, "due" | "events">; now: () => number },
  lane: LeasedLane,
  underWay: Set<bigint>,
): AsyncGenerator<Delivery, void, void> {
  const { partnerId } = lane;
  let lookAtMs = lane.hasScheduled ? now() : now() + LOOK_EVERY_MS;
  for (let next = lane.nextSequence;;) {
    if (now() >= lookAtMs) {
      for (const due of await store.due(partnerId, now(), BATCH)) {
        const { sequence, attempts } = due;
        if (underWay.has(sequence)) continue;
        const [row] = await store.events({ partnerId, fromSequence: sequence, limit: 1 });
        underWay.add(sequence);
        yield { row: row!, attempts: attempts + 1, isScheduled: true };
      }
      lookAtMs = now() + LOOK_EVERY_MS;
    }
    if (!lane.cursorDue) return;
    const rows = await store.events({ partnerId, fromSequence: next, limit: BATCH });
    for (const row of rows) {
      const { sequence } = row.event;
      const failed = sequence === lane.nextSequence ? lane.attempts : 0;
      yield { row, attempts: failed + 1, isScheduled: false };
      next = sequence + 1n;
    }
    if (rows.length < BATCH) return;
  }
}
