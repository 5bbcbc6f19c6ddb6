import { setTimeout as pause } from "node:timers/promises";
import { classifyFailure, type Database } from "@sabika/database";
import type { Log } from "./logging/log.ts";
import type { Opened } from "./opened.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Resolves when the database answers. While it is unreachable, starting or out of connections, or TLS with
 * it fails, tries again after growing pauses, up to 5 s, and logs each failure; likewise after any other
 * failure that `classifyFailure` does not call `fatal`. There is no limit: starting the process anew would
 * not bring the database back sooner.
 *
 * @param instead what can be had in place of the database; asked once, after the first failure
 * @returns that, if it was had; undefined when the database answers
 * @throws the database's error if it is `fatal` (no such database, a wrong password)
 * @throws Error when `opened` is closed while it waits, because the service stops
 */
export async function awaitDatabase<T>(
  { sql }: Pick<Database, "sql">,
  log: Log,
  opened: Pick<Opened, "add">,
  instead?: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const stopping = new AbortController();
  const { signal } = stopping;
  opened.add(() => stopping.abort());
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      await sql`select 1`;
      return undefined;
    } catch (error) {
      if (signal.aborted || classifyFailure(error) === "fatal") throw error;
      log("warning", "database_away", { reason: (error as { code: string }).code });
    }
    const found = pauseMs === FIRST_PAUSE_MS ? await instead?.() : undefined;
    if (found !== undefined) return found;
    await pause(pauseMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) throw new Error("stopped while waiting for the database");
  }
}
