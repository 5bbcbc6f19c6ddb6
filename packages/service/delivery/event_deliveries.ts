import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { eventDeliveries } from "./tables.ts";

const { partnerId: partner, sequence, attempts, nextAttemptAt } = eventDeliveries;

/** An attempt that failed, as it is kept. */
export interface FailedAttempt {
  sequence: bigint;
  /** How many have failed, this one included. */
  attempts: number;
  atMs: number;
  status: number | null;
  reason: string;
}

/** Writes down how an event's delivery stands after an attempt that failed. */
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

/** Writes down that an event whose delivery had failed, or that was asked for again, is delivered. */
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

/** Events with a schedule of their own that are due: parked ones, and those asked for again. */
export async function selectDueDeliveries(
  connection: AnySql,
  partnerId: number,
  nowMs: number,
  limit: number,
): Promise<{ sequence: bigint; attempts: number }[]> {
  return await drizzle(connection).select({ sequence, attempts }).from(eventDeliveries)
    .where(isDue(partnerId, nowMs)).orderBy(asc(sequence)).limit(limit);
}

/** Puts off everything due whose endpoint is away; no attempt is counted. */
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
