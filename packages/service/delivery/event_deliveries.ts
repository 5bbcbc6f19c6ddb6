import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { eventDeliveries } from "./tables.ts";

const { partnerId: partner, sequence, attempts, nextAttemptAt } = eventDeliveries;

/** A failed attempt, as it is recorded. `status` is null without an answer. */
export interface FailedAttempt {
  sequence: bigint;
  /** How many have failed, this one included. */
  attempts: number;
  atMs: number;
  status: number | null;
  reason: string;
}

/** Whose lane it is, and which worker leases it. */
interface Lease {
  partnerId: number;
  owner: string;
}

/** Records that the event at a lane's cursor failed; null: the lane has the time of the next attempt, or none is left. */
export async function recordFailure(
  connection: AnySql,
  partnerId: number,
  failed: FailedAttempt,
  state: "failing" | "exhausted",
  nextAttemptMs: number | null,
): Promise<void> {
  const outcome = outcomeOf(failed, state, nextAttemptMs);
  await drizzle(connection).insert(eventDeliveries)
    .values({ partnerId, sequence: failed.sequence, ...outcome })
    .onConflictDoUpdate({ target: [partner, sequence], set: outcome });
}

/**
 * Records that an event with its own schedule failed; null: no attempt is left.
 *
 * @returns false when the lease is lost, or the event was requested again during the attempt
 */
export async function recordScheduledFailure(
  connection: AnySql,
  lease: Lease,
  failed: FailedAttempt,
  nextAttemptMs: number | null,
): Promise<boolean> {
  const rows = await drizzle(connection).update(eventDeliveries)
    .set(outcomeOf(failed, nextAttemptMs === null ? "exhausted" : "failing", nextAttemptMs))
    .where(
      and(
        isLeased(lease),
        eq(sequence, failed.sequence),
        eq(attempts, failed.attempts - 1),
      ),
    ).returning({ sequence });
  return rows.length === 1;
}

function outcomeOf(
  failed: FailedAttempt,
  state: "failing" | "exhausted",
  nextAttemptAt: number | null,
) {
  return {
    state,
    attempts: failed.attempts,
    nextAttemptAt,
    lastAttemptAt: failed.atMs,
    lastStatus: failed.status,
    lastError: failed.reason,
  };
}

/**
 * Records the delivery of an event that had failed before or was requested again.
 *
 * @returns false when the lease is lost
 */
export async function recordDelivery(
  connection: AnySql,
  lease: Lease,
  delivered: { sequence: bigint; atMs: number; status: number },
): Promise<boolean> {
  const rows = await drizzle(connection).update(eventDeliveries).set({
    state: "delivered",
    attempts: sql`${attempts} + 1`,
    nextAttemptAt: null,
    lastAttemptAt: delivered.atMs,
    lastStatus: delivered.status,
    lastError: null,
  }).where(and(isLeased(lease), eq(sequence, delivered.sequence))).returning({ sequence });
  return rows.length === 1;
}

/** Selects the due events that have their own schedule: parked ones, and those requested again. */
export async function selectDueDeliveries(
  connection: AnySql,
  partnerId: number,
  nowMs: number,
  limit: number,
): Promise<{ sequence: bigint; attempts: number }[]> {
  return await drizzle(connection).select({ sequence, attempts }).from(eventDeliveries)
    .where(isDue(partnerId, nowMs)).orderBy(asc(sequence)).limit(limit);
}

/** Postpones all due events of a partner whose endpoint is away, without counting an attempt. */
export async function postponeDue(
  connection: AnySql,
  lease: Lease,
  nowMs: number,
  nextAttemptMs: number,
): Promise<void> {
  await drizzle(connection).update(eventDeliveries).set({ nextAttemptAt: nextAttemptMs })
    .where(and(isLeased(lease), isDue(lease.partnerId, nowMs)));
}

function isDue(partnerId: number, nowMs: number): SQL | undefined {
  return and(eq(partner, partnerId), lte(nextAttemptAt, nowMs));
}

/**
 * Matches the rows of a lane that this worker leases: who lost a lease writes nothing more (Decision D35). It locks the
 * lane, so that whoever ends the lease is before this write or after it.
 */
function isLeased({ partnerId, owner }: Lease): SQL | undefined {
  return and(
    eq(partner, partnerId),
    sql`exists (select from webhook_lanes where partner_id = ${partnerId} and leased_by = ${owner} for share)`,
  );
}
