import type { Database } from "@sabika/database";
import { until } from "./until.ts";

/** Waits until so many sessions of this database wait for a lock: other tests have databases of their own. */
export async function untilWaiting({ sql }: Pick<Database, "sql">, sessions = 1): Promise<void> {
  await until(async () => {
    const waiting = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return waiting.length >= sessions;
  });
}
