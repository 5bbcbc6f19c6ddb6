import { type SQL, sql } from "drizzle-orm";
import { formatTime } from "@sabika/protocol";

/**
 * Limits a time of the operator's clock, epoch milliseconds, to the database's present: what is revoked
 * or begins "now" does so at once, even when the clock of the operator's machine is minutes fast.
 */
export function notAfterNow(ms: number): SQL {
  return sql`least(${formatTime(ms)}::timestamptz, clock_timestamp())`;
}

/** Returns when an old credential ends: after its overlap, or at once when the overlap is 0. */
export function endOf(nowMs: number, overlapMs: number): SQL {
  return overlapMs > 0 ? sql`${formatTime(nowMs + overlapMs)}::timestamptz` : notAfterNow(nowMs);
}
