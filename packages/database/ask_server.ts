import { clearTimeout, setTimeout } from "node:timers";
import { openSession, type SessionKeeper, type SessionParts } from "./session.ts";

/** The keeper of a session that nobody else uses. */
const ALONE: SessionKeeper = {
  isClosed: () => false,
  mayConnect: () => Promise.resolve(),
  onQuiet: () => {},
  onEnd: () => {},
};

/** The timeline is in the name of the WAL file that is written; a standby writes none. */
const QUESTION = `select
  case when current_setting('transaction_read_only')::boolean then null
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline`;

/**
 * Asks a server, on a separate connection, for its timeline.
 *
 * @param patienceMs the time limit of connecting, and again of the answer
 * @returns undefined when it takes no writes
 * @throws the driver's error when the server cannot be asked
 */
export async function askServer(
  parts: SessionParts,
  patienceMs: number,
): Promise<number | undefined> {
  const session = openSession(parts, ALONE);
  const timer = setTimeout(() => session.discard(), 2 * patienceMs);
  try {
    const [row] = await session.run((client) => client.unsafe(QUESTION)) as [
      { timeline: number | null },
    ];
    return row.timeline ?? undefined;
  } finally {
    clearTimeout(timer);
    await session.close();
  }
}
