import type { AnySql } from "@sabika/database";
import type { Language } from "./choices.ts";
import type { NotificationFacts, NotificationKind } from "./kinds.ts";

/** A notification that is to be sent by mail, or to the operator's webhook; times are epoch milliseconds. */
export interface DueNotification {
  readonly deliveryId: number;
  /** With this one, counted from 1. */
  readonly attempts: number;
  readonly id: number;
  readonly kind: NotificationKind;
  readonly subject: string;
  readonly facts: NotificationFacts;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
  /** Of a mail: its reader. Null for the webhook, and for a person who wants no mail any more. */
  readonly address: string | null;
  readonly language: Language | null;
}

/**
 * Takes what is due now, each for one caller: another gets it when the lease is over, if it was not
 * settled until then. What is older than a day is given up.
 */
export async function claimDeliveries(
  sql: AnySql,
  channel: "mail" | "webhook",
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number },
): Promise<DueNotification[]> {
  return await sql<DueNotification[]>`
    with late as (
      update notification_deliveries d set given_up_at = clock_timestamp(), failure = coalesce(failure, 'too late')
      from notifications n
      where n.notification_id = d.notification_id and channel = ${channel} and done_at is null
        and given_up_at is null and n.created_at < clock_timestamp() - interval '25 hours'
        and next_attempt_at <= clock_timestamp()
    ), due as (
      select delivery_id from notification_deliveries join notifications using (notification_id)
      where channel = ${channel} and done_at is null and given_up_at is null
        and next_attempt_at <= clock_timestamp() and created_at >= clock_timestamp() - interval '25 hours'
      order by next_attempt_at limit ${limit} for update of notification_deliveries skip locked
    ), claimed as (
      update notification_deliveries d set attempts = attempts + 1,
        next_attempt_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
      from due where d.delivery_id = due.delivery_id
      returning d.delivery_id, d.attempts, d.notification_id, d.operator_id
    )
    select delivery_id as "deliveryId", attempts, notification_id as id, kind, subject, facts,
      (extract(epoch from n.created_at) * 1000)::float8 as "createdAtMs",
      (extract(epoch from ended_at) * 1000)::float8 as "endedAtMs", address, language
    from claimed join notifications n using (notification_id)
      left join operators o on o.operator_id = claimed.operator_id and o.enabled
      left join notification_addresses a on a.operator_id = o.operator_id
    order by notification_id`;
}

/** Notes that a receiver accepted a notification. */
export async function noteDelivered(sql: AnySql, deliveryId: number): Promise<void> {
  await sql`update notification_deliveries set done_at = clock_timestamp(), failure = null
    where delivery_id = ${deliveryId} and given_up_at is null and done_at is null`;
}

/**
 * Notes that an attempt failed.
 *
 * @param pauseMs the time until the next attempt; undefined gives up
 */
export async function noteFailed(
  sql: AnySql,
  deliveryId: number,
  { reason, pauseMs }: { reason: string; pauseMs: number | undefined },
): Promise<void> {
  await sql`update notification_deliveries set failure = ${reason.slice(0, 200)},
      next_attempt_at = clock_timestamp() + make_interval(secs => ${(pauseMs ?? 0) / 1_000}),
      given_up_at = case when ${pauseMs === undefined}::boolean then clock_timestamp() end
    where delivery_id = ${deliveryId} and given_up_at is null and done_at is null`;
}
