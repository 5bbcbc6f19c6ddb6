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

/** Records the state of an event's delivery after a failed attempt; null: no further attempt. */
export async function recordFailure(
  connection: AnySql,
  partnerId: number,
  failed: FailedAttempt,
  state: "failing" | "exhausted",
  nextAttemptMs: number | null,
): Promise<void> {
  const outcome = {
    state,
    attempts: failed.attempts,
    nextAttemptAt: nextAttemptMs,
    lastAttemptAt: failed.atMs,
    lastStatus: failed.status,
    lastError: failed.reason,
  };
  await drizzle(connection).insert(eventDeliveries)
    .values({ partnerId, sequence: failed.sequence, ...outcome })
    .onConflictDoUpdate({ target: [partner, sequence], set: outcome });
}

/** Records the delivery of an event that had failed before or was requested again. */
export async function recordDelivery(
  connection: AnySql,
  partnerId: number,
  delivered: { sequence: bigint; atMs: number; status: number },
): Promise<void> {
  await drizzle(connection).update(eventDeliveries).set({
    state: "delivered",
    attempts: sql`${attempts} + 1`,
    nextAttemptAt: null,
    lastAttemptAt: delivered.atMs,
    lastStatus: delivered.status,
    lastError: null,
  }).where(and(eq(partner, partnerId), eq(sequence, delivered.sequence)));
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
  partnerId: number,
  nowMs: number,
  nextAttemptMs: number,
): Promise<void> {
  await drizzle(connection).update(eventDeliveries).set({ nextAttemptAt: nextAttemptMs })
    .where(isDue(partnerId, nowMs));
}

function isDue(partnerId: number, nowMs: number): SQL | undefined {
  return and(eq(partner, partnerId), lte(nextAttemptAt, nowMs));
}
