import type { Database } from "@sabika/core/store";

/** How far this instance's clock may be from the database's (Decision D12). */
export const CLOCK_OFFSET_LIMIT_MS = 1_000;

/** What an instance has to know about its database again and again. */
export interface DatabaseState {
  /** See `clockOffset`. */
  readonly offsetMs: number;
  /** False on a standby, and where somebody made the database read only (faults F09). */
  readonly takesWrites: boolean;
}

/** Asks the database for its time, and whether it takes writes. */
export async function readDatabaseState(
  database: Database,
  now: () => number,
): Promise<DatabaseState> {
  const askedMs = now();
  const [row] = await database.sql<{ nowMs: number; isReadOnly: boolean }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs",
      current_setting('transaction_read_only')::boolean as "isReadOnly"`;
  const answeredMs = now();
  return {
    offsetMs: clockOffset(askedMs, Number(row!.nowMs), answeredMs),
    takesWrites: !row!.isReadOnly,
  };
}

/**
 * This clock minus the database's, in milliseconds: the least that explains what was seen. An
 * answer that took long tells little, so the time it took is given the benefit of the doubt.
 *
 * @param theirsMs what the other clock said at some moment between the two of ours
 */
export function clockOffset(askedMs: number, theirsMs: number, answeredMs: number): number {
  if (theirsMs < askedMs) return askedMs - theirsMs;
  if (theirsMs > answeredMs) return answeredMs - theirsMs;
  return 0;
}
