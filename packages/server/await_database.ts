import { setTimeout as pause } from "node:timers/promises";
import { classifyFailure, type Database } from "@sabika/database";
import type { Log } from "./logging/log.ts";
import type { Opened } from "./opened.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Resolves when the database answers. While it is away, starting or out of connections, it is tried
 * again after growing pauses; each failure is logged. An instance that gave up would not come back.
 *
 * @throws the database's error if it refuses for another reason (no such database, a wrong password), and
 *   an error when `opened` is closed meanwhile, because the service stops
 */
export async function awaitDatabase(
  { sql }: Pick<Database, "sql">,
  log: Log,
  opened: Pick<Opened, "add">,
): Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  opened.add(() => ending.abort());
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      await sql`select 1`;
      return;
    } catch (error) {
      if (signal.aborted || classifyFailure(error) === "fatal") throw error;
      log("warning", "database_away", { reason: (error as { code: string }).code });
    }
    await pause(pauseMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) throw new Error("stopped while it waited for the database");
  }
}
