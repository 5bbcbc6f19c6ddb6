import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@sabika/database";
import { readClockAhead } from "@sabika/service/simulation";
import type { Opened } from "../opened.ts";

/** The clock of an instance: in a sandbox its partner may have set it forward (Decision D111). */
export interface ServiceClock {
  /** What time it is for quotes, credentials, days and prices; epoch milliseconds. */
  readonly now: () => number;
  /** What time it really is, for signatures and webhooks. */
  readonly realNow: () => number;
  /** Reads how far it was set forward; when that has changed, does what was added by `onMove`, in turn. */
  readonly refresh: () => Promise<void>;
  readonly onMove: (run: () => Promise<unknown>) => void;
}

const POLL_MS = 500;

/** The clock of production, which nobody sets. */
export function realClock(now: () => number): ServiceClock {
  return { now, realNow: now, refresh: () => Promise.resolve(), onMove: () => {} };
}

/** Opens the clock of a sandbox, and follows what other instances set. */
export async function openSandboxClock(
  { database: { sql }, now: realNow, opened, onError, known }: {
    readonly database: Database;
    readonly now: () => number;
    readonly opened: Opened;
    readonly onError: (name: string, error: unknown) => void;
    /** How far it was ahead before, while the database cannot be asked. */
    readonly known?: number | undefined;
  },
): Promise<ServiceClock> {
  let aheadMs = known ?? await readClockAhead(sql);
  const moves: (() => Promise<unknown>)[] = [];
  const ending = new AbortController();
  const { signal } = ending;

  async function refresh(): Promise<void> {
    const found = await readClockAhead(sql);
    if (found === aheadMs) return;
    aheadMs = found;
    for (const run of moves) await run();
  }
  async function follow(): Promise<void> {
    for (;;) {
      await pause(POLL_MS, undefined, { signal });
      await refresh().catch((error) => signal.aborted || onError("clock", error));
    }
  }
  const following = follow().catch(() => {}); // Rejected when the instance ends.
  opened.add(async () => {
    ending.abort();
    await following;
  });
  return {
    now: () => realNow() + aheadMs,
    realNow,
    refresh,
    onMove: (run) => void moves.push(run),
  };
}
