import { and, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "../store/drizzle.ts";
import { eventDeliveries, events, webhookLanes } from "../store/schema/webhooks.ts";
import type { AnySql } from "../store/sql.ts";

/**
 * Has an event sent again (Decision D19), exhausted or long delivered; one that still waits in the
 * lane is tried at once instead, in its place. Asking twice is asking once.
 *
 * @param of.eventId the event's UUID
 * @returns false when the partner has no such event
 */
export async function requestRedelivery(
  connection: AnySql,
  { partnerId, eventId, nowMs }: { partnerId: number; eventId: string; nowMs: number },
): Promise<boolean> {
  const orm = drizzle(connection);
  const { sequence } = events;
  const [event] = await orm
    .select({ sequence, isWaiting: sql<boolean>`${sequence} >= ${webhookLanes.nextSequence}` })
    .from(events).innerJoin(webhookLanes, eq(webhookLanes.partnerId, events.partnerId))
    .where(and(eq(events.partnerId, partnerId), eq(events.eventId, eventId)));
  if (!event) return false;
  if (event.isWaiting) {
    const isLater = gt(webhookLanes.nextAttemptAt, nowMs);
    await orm.update(webhookLanes).set({ nextAttemptAt: nowMs })
      .where(and(eq(webhookLanes.partnerId, partnerId), isLater));
    return true;
  }
  const request = { state: "requested", attempts: 0, nextAttemptAt: nowMs } as const;
  await orm.insert(eventDeliveries).values({ partnerId, sequence: event.sequence, ...request })
    .onConflictDoUpdate({
      target: [eventDeliveries.partnerId, eventDeliveries.sequence],
      set: request,
    });
  return true;
}
