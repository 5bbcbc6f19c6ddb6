import type { Database } from "./database.ts";

/** The state of a database that an instance must always know. */
export interface DatabaseState {
  /** This instance's clock minus the database's when it was asked, in milliseconds; see `clockOffset`. */
  readonly offsetMs: number;
  /** This instance's clock minus its monotonic one when it asked, in milliseconds. */
  readonly aheadMs: number;
  /** False on a standby, and when the database was made read only (F09). */
  readonly acceptsWrites: boolean;
}

/**
 * Asks the database for its time, and whether it accepts writes. Setting this clock before the answer
 * arrives does not change the result.
 *
 * @param clocks.now this instance's clock, epoch milliseconds
 * @param clocks.monotonic milliseconds of a clock that nobody sets
 */
export async function readDatabaseState(
  { sql }: Database,
  { now, monotonic }: { now: () => number; monotonic: () => number },
): Promise<DatabaseState> {
  const [askedMs, sinceMs] = [now(), monotonic()];
  const [row] = await sql<{ nowMs: number; isReadOnly: boolean }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs",
      current_setting('transaction_read_only')::boolean as "isReadOnly"`;
  const answeredMs = askedMs + monotonic() - sinceMs;
  return {
    offsetMs: clockOffset(askedMs, Number(row!.nowMs), answeredMs),
    aheadMs: askedMs - sinceMs,
    acceptsWrites: !row!.isReadOnly,
  };
}

/**
 * This clock minus the other one, in milliseconds: the smallest offset that explains the readings.
 * The other clock was read at an unknown moment between the question and the answer, so any offset
 * that the round trip could explain counts as none.
 *
 * @param theirsMs what the other clock showed between `askedMs` and `answeredMs` of this one
 */
export function clockOffset(askedMs: number, theirsMs: number, answeredMs: number): number {
  if (theirsMs < askedMs) return askedMs - theirsMs;
  if (theirsMs > answeredMs) return answeredMs - theirsMs;
  return 0;
}
