import { notCarriedOut, type Refusal, refuse } from "@sabika/protocol";
import { CellAwayError, type Cells } from "../cells/cells.ts";

/**
 * A cell's answer for a partner whose accounts are in another cell (Decision D53): nothing was done.
 * Compared by identity; it is also a true answer to the partner.
 */
export const MOVED: Refusal = Object.freeze(notCarriedOut());

/**
 * Returns the answer for a partner that has moved. When an earlier answer was lost, the item may have been
 * carried out before the move; then the outcome is unknown, and its key will show it.
 */
export function movedAway(afterLoss: boolean): Refusal {
  return afterLoss ? refuse("outcome_unknown", { retryAfterSeconds: 1 }) : MOVED;
}

/** What following a partner to its new cell needs. */
export interface Following {
  /** Refreshes the register, which names the cell of each partner. */
  readonly refresh: () => Promise<void>;
  /** Lets time pass between two attempts. */
  readonly pause: (ms: number) => Promise<void>;
}

/** Seven attempts last 1.6 s, like those of a batch; a move closes the source for far less. */
const ATTEMPTS = 7;
const FIRST_PAUSE_MS = 25;

/**
 * Acts in a partner's cell, and if that answers `MOVED`, in the cell that the register then names. The
 * act must be safe to repeat under the same ids.
 *
 * @returns the result of the act; `MOVED` when no cell had the partner in time
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
    // The next attempt reads the register again.
    await refresh().catch(() => {});
    if (cells.of(partnerId) === home) await pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
  }
}

/**
 * Reads in a partner's cell. The result only counts if the partner is still there afterwards, since a
 * partner that moves leaves its rows behind. With a single cell nobody moves, and this is not checked.
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
    const outcome = await read(home).then((value) => ({ value }), (error: unknown) => ({ error }));
    if (!await home.isHome(partnerId)) return MOVED;
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }, following);
  if (result === MOVED) throw new CellAwayError("the partner is being moved");
  return result as R;
}
