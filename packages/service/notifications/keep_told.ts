import type { AnySql, Database } from "@sabika/database";
import type { Role } from "@sabika/terms";
import type { ConditionKind, NotificationFacts } from "./kinds.ts";
import { endNotification, notify } from "./tell.ts";

/** The lock of this function among offices; other advisory locks are 7305 to 7309. */
const LOCK = 7310;

/**
 * Tells the roles of what is found of a kind and not told yet, and ends what is not found any more. What comes
 * back within an hour goes on as the same, and nobody is told again.
 *
 * @param isWhole whether all was looked at: otherwise nothing ends
 */
export async function keepTold(
  database: Database,
  kind: ConditionKind,
  found: readonly { readonly subject: string; readonly facts: NotificationFacts }[],
  { roles, isWhole }: { roles: readonly Role[]; isWhole: boolean },
): Promise<void> {
  const lasting = await readLasting(database.sql, kind);
  const subjects = new Set(found.map(({ subject }) => subject));
  const isSame = found.every(({ subject }) => lasting.has(subject)) &&
    (!isWhole || [...lasting].every((subject) => subjects.has(subject)));
  if (isSame) return;
  await database.sql.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(${LOCK})`;
    const lasting = await readLasting(sql, kind);
    for (const { subject, facts } of found) {
      if (lasting.has(subject) || await goOn(sql, kind, subject)) continue;
      await notify(sql, { kind, subject, facts }, { roles }, { lasts: true });
    }
    if (!isWhole) return;
    for (const subject of lasting) {
      if (!subjects.has(subject)) await endNotification(sql, kind, subject, { isMoot: false });
    }
  });
}

async function readLasting(sql: AnySql, kind: ConditionKind): Promise<Set<string>> {
  const rows = await sql<{ subject: string }[]>`
    select subject from notifications where kind = ${kind} and ended_at is null`;
  return new Set(rows.map(({ subject }) => subject));
}

/** Has what ended within the hour go on; false when there is nothing like it. */
async function goOn(sql: AnySql, kind: ConditionKind, subject: string): Promise<boolean> {
  const rows = await sql`
    update notifications set ended_at = null where notification_id = (
      select notification_id from notifications
      where kind = ${kind} and subject = ${subject} and ended_at > clock_timestamp() - interval '1 hour'
      order by notification_id desc limit 1)
    returning notification_id`;
  return rows.length > 0;
}

/** Forgets what was over more than a year ago. */
export async function forgetOld(sql: AnySql): Promise<void> {
  await sql`delete from notifications where ended_at < clock_timestamp() - interval '400 days'`;
}
