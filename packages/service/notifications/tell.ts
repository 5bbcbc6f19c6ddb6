import { type AnySql, textArray } from "@sabika/database";
import type { Role } from "@sabika/terms";
import type { NotificationFacts, NotificationKind } from "./kinds.ts";

/** Something to tell people. */
export interface Notification {
  readonly kind: NotificationKind;
  /** What it is about: an id. While one of the same kind and subject lasts, it is not told again. */
  readonly subject: string;
  readonly facts: NotificationFacts;
}

/** Who is told: everybody with one of the roles, or one person; never `except`. */
export interface Audience {
  readonly roles?: readonly Role[];
  readonly operatorId?: number;
  readonly except?: number | undefined;
}

/**
 * Writes a notification and whom it is for, as each chose, in the caller's transaction; sending it is a
 * worker's work. The operator's webhook is told of each.
 *
 * @param lasts whether it lasts until {@linkcode endNotification}
 */
export async function notify(
  sql: AnySql,
  { kind, subject, facts }: Notification,
  { roles = [], operatorId, except }: Audience,
  { lasts }: { lasts: boolean },
): Promise<void> {
  await sql`
    with told as (
      insert into notifications (kind, subject, facts, created_at, ended_at)
      select ${kind}, ${subject}, ${
    JSON.stringify(facts)
  }::text::jsonb, at, case when not ${lasts}::boolean then at end
      from (select date_trunc('milliseconds', clock_timestamp()) as at) now
      on conflict (kind, subject) where ended_at is null do nothing
      returning notification_id
    ), people as (
      select o.operator_id, coalesce(c.channel, 'console') as choice
      from operators o
        left join notification_choices c on c.operator_id = o.operator_id and c.kind = ${kind}
      where o.enabled and o.operator_id is distinct from ${except ?? null}::integer
        and (o.operator_id = ${operatorId ?? null}::integer or exists (
          select from operator_roles r
          where r.operator_id = o.operator_id and r.role = any(${textArray(roles)}::text[])))
    )
    insert into notification_deliveries (notification_id, channel, operator_id)
    select notification_id, 'console', operator_id from told, people where choice <> 'none'
    union all
    select notification_id, 'mail', operator_id
    from told, people join notification_addresses a using (operator_id) where choice = 'mail'
    union all
    select notification_id, 'webhook', null from told`;
}

/**
 * Ends what lasts, if it does.
 *
 * @returns whether it did
 * @param isMoot whether nobody needs to read or get it any more: a request that was decided
 */
export async function endNotification(
  sql: AnySql,
  kind: NotificationKind,
  subject: string,
  { isMoot }: { isMoot: boolean },
): Promise<boolean> {
  const [row] = await sql<{ count: number }[]>`
    with ended as (
      update notifications set ended_at = greatest(clock_timestamp(), created_at)
      where kind = ${kind} and subject = ${subject} and ended_at is null returning notification_id
    ), moot as (
      update notification_deliveries d set given_up_at = clock_timestamp(), failure = 'over'
      from ended where ${isMoot}::boolean and d.notification_id = ended.notification_id
        and d.channel <> 'webhook' and done_at is null and given_up_at is null
    )
    select count(*)::integer as count from ended`;
  return row!.count > 0;
}
