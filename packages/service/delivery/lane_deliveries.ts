import type { EventRow } from "../events/render_event.ts";
import type { LaneStore } from "./lane_store.ts";
import type { LeasedLane } from "./webhook_lanes.ts";

/** An event to be sent now. */
export interface Delivery {
  row: EventRow;
  /** Counts this attempt and the failed ones before. */
  attempts: number;
  /** Whether it has its own schedule: it was parked, or requested again. */
  isScheduled: boolean;
}

/** How many events of a lane are read at once, whatever its backlog (F81). */
const BATCH = 50;
/** How often a busy lane looks for due events with their own schedule. */
const LOOK_EVERY_MS = 500;

/**
 * Yields what is to be sent in a lane: due events with their own schedule, then those from the cursor
 * on. A batch is read when the previous one has been consumed.
 *
 * @param underWay sequences of events with their own schedule, until their outcome is recorded
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
