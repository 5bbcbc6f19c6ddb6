import { makeReserves, type ReserveCells } from "./make_reserves.ts";

/** What makes reserves, and signs them where this instance does. */
export interface ReserveKeeperParts {
  /** Control and the cells that there are at the time. */
  readonly cells: () => ReserveCells;
  /** Signs the reserves that are unsigned; rejects while it cannot. */
  readonly sign: (() => Promise<void>) | undefined;
}

/**
 * Makes the round that keeps reserves: it makes and signs what is due, and then asks no database until the next day
 * is. What it cannot do it throws, and does in a later round.
 *
 * @returns the round; it takes the time by the database's clock, epoch milliseconds
 */
export function createReserveKeeper(
  { cells, sign }: ReserveKeeperParts,
): (nowMs: number) => Promise<void> {
  let idleUntilMs = -Infinity;
  return async (nowMs) => {
    if (nowMs < idleUntilMs) return;
    let nextMs = nowMs;
    try {
      ({ nextMs } = await makeReserves(cells(), nowMs));
    } finally {
      // Earlier days are signed although today's reserve cannot be made.
      await sign?.();
    }
    idleUntilMs = nextMs;
  };
}
