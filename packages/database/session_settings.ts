import type { Sql } from "./sql.ts";

/** What each session asks for at its start, as `pg_settings` has it; times in milliseconds. */
export const SESSION_SETTINGS = {
  // The functions lock first and then read what is there, which an older snapshot does not show.
  default_transaction_isolation: "read committed",
  // Nobody waits for ever behind somebody's open transaction.
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 60_000,
} as const;

/**
 * Which of them are not in force, by their names: a pooler between may leave them out, and a time limit
 * that the login has itself will do (docs/database.md).
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
