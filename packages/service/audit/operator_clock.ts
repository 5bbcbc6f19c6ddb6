import { type SQL, sql } from "drizzle-orm";
import { formatTime } from "@sabika/protocol";

/**
 * A time by the operator's clock, but not later than the database's: what is revoked, ends or begins
 * "now" does so now, even when the clock of the operator's machine is minutes fast.
 */
export function notAfterNow(ms: number): SQL {
  return sql`least(${formatTime(ms)}::timestamptz, clock_timestamp())`;
}

/** When an old credential ends: after its overlap, or at once when there is none. */
export function endOf(nowMs: number, overlapMs: number): SQL {
  return overlapMs > 0 ? sql`${formatTime(nowMs + overlapMs)}::timestamptz` : notAfterNow(nowMs);
}
