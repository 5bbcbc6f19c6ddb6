import type { Fragment } from "../store/sql.ts";
import { toMoment } from "../store/moments.ts";
import type { Transaction } from "../store/sql.ts";

/**
 * A moment by the operator's clock that is not to lie ahead of the database's: what is revoked, ends or
 * begins "now" does so now, also when the operator's machine is minutes fast.
 */
export function notAfterNow(sql: Transaction, ms: number): Fragment {
  return sql`least(${toMoment(ms)}::timestamptz, clock_timestamp())` as Fragment;
}

/** When an old credential ends: after its overlap, and without one at once. */
export function endOf(sql: Transaction, nowMs: number, overlapMs: number): Fragment {
  return overlapMs > 0
    ? sql`${toMoment(nowMs + overlapMs)}::timestamptz` as Fragment
    : notAfterNow(sql, nowMs);
}
