import type { AnySql } from "@sabika/database";
import type { NotificationFacts, NotificationKind } from "./kinds.ts";

/** A notification as its reader sees it; times are epoch milliseconds. */
export interface ReadNotification {
  readonly id: number;
  readonly kind: NotificationKind;
  readonly subject: string;
  readonly facts: NotificationFacts;
  readonly createdAtMs: number;
  /** When what it is about was over; null while it lasts. */
  readonly endedAtMs: number | null;
  readonly isUnread: boolean;
}

/** Lists a person's notifications, newest first: those older than `before`, or all. */
export async function listNotifications(
  sql: AnySql,
  operatorId: number,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<ReadNotification[]> {
  return await sql<ReadNotification[]>`
    select n.notification_id as id, kind, subject, facts,
      (extract(epoch from created_at) * 1000)::float8 as "createdAtMs",
      (extract(epoch from ended_at) * 1000)::float8 as "endedAtMs",
      done_at is null and given_up_at is null as "isUnread"
    from notification_deliveries d join notifications n using (notification_id)
    where channel = 'console' and operator_id = ${operatorId}
      and (${before ?? null}::integer is null or n.notification_id < ${before ?? null}::integer)
    order by d.notification_id desc limit ${limit}`;
}

/** Counts a person's unread notifications, up to 100. */
export async function countUnread(sql: AnySql, operatorId: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from (
      select from notification_deliveries
      where channel = 'console' and operator_id = ${operatorId} and done_at is null and given_up_at is null
      limit 100) unread`;
  return row!.count;
}

/** Marks a person's own notifications as read: the one, or all up to the newest that they saw. */
export async function markRead(
  sql: AnySql,
  operatorId: number,
  { id, through }: { id?: number; through?: number },
): Promise<void> {
  await sql`
    update notification_deliveries set done_at = clock_timestamp()
    where channel = 'console' and operator_id = ${operatorId} and done_at is null and given_up_at is null
      and (notification_id = ${id ?? null}::integer or notification_id <= ${
    through ?? null
  }::integer)`;
}
