import { clearTimeout, setTimeout } from "node:timers";
import type { ServerState } from "./find_primary.ts";
import { openSession, type SessionKeeper, type SessionParts } from "./session.ts";

/** The keeper of a session that nobody else uses. */
const ALONE: SessionKeeper = {
  isClosed: () => false,
  mayConnect: () => Promise.resolve(),
  onQuiet: () => {},
  onEnd: () => {},
};

/** The timeline is in the name of the WAL file that is written; a standby writes none. */
const QUESTION = `select pg_postmaster_start_time()::text as since,
  case when current_setting('transaction_read_only')::boolean then null
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline`;

/**
 * Asks a server, on a separate connection, whether it takes writes.
 *
 * @param patienceMs the time limit of connecting, and again of the answer
 * @throws the driver's error when the server cannot be asked
 */
export async function askServer(parts: SessionParts, patienceMs: number): Promise<ServerState> {
  const session = openSession(parts, ALONE);
  const timer = setTimeout(() => session.discard(), 2 * patienceMs);
  try {
    const [row] = await session.run((client) => client.unsafe(QUESTION)) as [
      { since: string; timeline: number | null },
    ];
    return { since: row.since, timeline: row.timeline ?? undefined };
  } finally {
    clearTimeout(timer);
    await session.close();
  }
}
