import type { Sql } from "./sql.ts";

/** The settings that each session requests, in the form of `pg_settings`; times in milliseconds. */
export const SESSION_SETTINGS = {
  // Functions lock first and then read the present state, which an older snapshot would not show.
  default_transaction_isolation: "read committed",
  // No statement waits for ever behind an open transaction.
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 60_000,
} as const;

/**
 * Returns the names of requested settings that are not in force, since a pooler may drop them; none if all
 * are. A shorter time limit, such as the login's own, is enough (docs/database.md).
 */
export async function missingSessionSettings({ sql }: { sql: Sql }): Promise<string[]> {
  const rows = await sql<{ name: keyof typeof SESSION_SETTINGS; setting: string }[]>`
    select name, setting from pg_settings where name in ('default_transaction_isolation',
      'lock_timeout', 'idle_in_transaction_session_timeout') order by name`;
  return rows.filter(({ name, setting }) => {
    const wanted = SESSION_SETTINGS[name];
    return typeof wanted === "string"
      ? setting !== wanted
      : Number(setting) === 0 || Number(setting) > wanted;
  }).map(({ name }) => name);
}
