import type { Database } from "@sabika/core";

/** How far this instance's clock may be from the database's (Decision D12). */
export const CLOCK_OFFSET_LIMIT_MS = 1_000;

/**
 * This clock minus the database's, in milliseconds: the least that explains what was seen. An
 * answer that took long tells little, so the time it took is given the benefit of the doubt.
 */
export async function measureClockOffset(database: Database, now: () => number): Promise<number> {
  const askedMs = now();
  const [row] = await database.sql<{ nowMs: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`;
  const answeredMs = now();
  return clockOffset(askedMs, Number(row!.nowMs), answeredMs);
}

/** @param theirsMs what the other clock said at some moment between the two of ours */
export function clockOffset(askedMs: number, theirsMs: number, answeredMs: number): number {
  if (theirsMs < askedMs) return askedMs - theirsMs;
  if (theirsMs > answeredMs) return answeredMs - theirsMs;
  return 0;
}
