import { setTimeout as pause } from "node:timers/promises";
import { describeError, jobFailed, type Log, startJobs } from "@sabika/server";
import { MAIN_CELL } from "@sabika/service/cells";
import { createMoveKeeper, type MovingPlace } from "@sabika/service/moving";

/** How soon a move is gone on with after its mover's sessions have ended. */
const LOOK_EVERY_MS = 1_000;

/** What the keeper of moves works with; the databases are not those that requests wait for. */
export interface MoveKeeperParts extends MovingPlace {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
}

/**
 * Starts what goes on with moves of partners that were left half way (Decision D114).
 *
 * @returns a function that stops it; a move under way is left to another office, or to the next start
 */
export function startMoveKeeper({ log, ...place }: MoveKeeperParts): () => Promise<void> {
  const keeper = createMoveKeeper({
    ...place,
    monotonic: () => performance.now(),
    pause: (ms) => pause(ms),
    onFailed: ({ clientId, step }, error) =>
      log("warning", "move_waits", { partner: clientId, name: step, error: describeError(error) }),
  });
  const stopLooking = startJobs(
    [{ name: "moves", everyMs: LOOK_EVERY_MS, run: keeper.look }],
    jobFailed(log),
  );
  return async () => {
    await stopLooking();
    await keeper.stop();
  };
}

/** Opens control's own cell and the others by their names. */
export function placeOf(
  control: MovingPlace["control"],
  cells: { open: MovingPlace["databaseOf"] },
): MovingPlace {
  return {
    control,
    databaseOf: (id) => id === MAIN_CELL ? Promise.resolve(control) : cells.open(id),
  };
}
