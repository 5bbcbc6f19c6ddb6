import { notCarriedOut, type Refusal, refuse } from "@sabika/protocol";
import { CellAwayError, type Cells } from "../cells/cells.ts";

/**
 * What a cell says of a partner whose accounts are in another one (Decision D53): nothing was done. It is
 * known by being this very value; it is also true as an answer to the partner.
 */
export const MOVED: Refusal = Object.freeze(notCarriedOut());

/**
 * The answer to a partner that has moved. An item whose answer was lost may have been carried out before; its
 * key shows what became of it.
 */
export function movedAway(afterLoss: boolean): Refusal {
  return afterLoss ? refuse("outcome_unknown", { retryAfterSeconds: 1 }) : MOVED;
}

/** How a partner that has moved is found. */
export interface Following {
  /** Reads the register anew, which says where each partner is. */
  readonly refresh: () => Promise<void>;
  /** Lets time pass between two attempts. */
  readonly pause: (ms: number) => Promise<void>;
}

/** 1.6 s in all over seven attempts, as a batch is tried: a move closes the source for far less. */
const ATTEMPTS = 7;
const FIRST_PAUSE_MS = 25;

/**
 * Acts in a partner's cell; where that answers `MOVED`, in the one that the register then names. Acting
 * again must be safe with the ids that it was begun with.
 *
 * @returns what came of it; `MOVED` when no cell had the partner in time
 * @throws {CellAwayError} when its cell cannot be used now
 */
export async function actAtHome<T, R>(
  cells: Cells<T>,
  partnerId: number,
  act: (home: T) => Promise<R>,
  { refresh, pause }: Following,
): Promise<R> {
  for (let attempt = 1;; attempt++) {
    const home = cells.of(partnerId);
    const result = await act(home);
    if (result as unknown !== MOVED || attempt === ATTEMPTS) return result;
    // A register that cannot be read now is read again by the next attempt.
    await refresh().catch(() => {});
    if (cells.of(partnerId) === home) await pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
  }
}

/**
 * Reads in a partner's cell. What was read counts if the partner was still there afterwards: rows that it
 * left behind are not read as its own. Where there is one cell alone nobody moves, and nothing is asked.
 *
 * @throws {CellAwayError} when its cell cannot be used now, or none had it in time
 */
export async function readAtHome<T extends { isHome(partnerId: number): Promise<boolean> }, R>(
  cells: Cells<T>,
  partnerId: number,
  read: (home: T) => Promise<R>,
  following: Following,
): Promise<R> {
  const result = await actAtHome<T, R | Refusal>(cells, partnerId, async (home) => {
    if (cells.all().size === 1) return await read(home);
    const came = await read(home).then((value) => ({ value }), (error: unknown) => ({ error }));
    if (!await home.isHome(partnerId)) return MOVED;
    if ("error" in came) throw came.error;
    return came.value;
  }, following);
  if (result === MOVED) throw new CellAwayError("the partner is being moved");
  return result as R;
}
