import type { Session } from "../connect/session.ts";
import type { Reads } from "./reads.ts";

/** What a command reads. */
export async function openReads(session: Session): Promise<Reads> {
  const [database, environment] = await Promise.all([session.database(), session.environment()]);
  // Only here: it brings the driver along.
  const { readsOfDatabase } = await import("./of_database.ts");
  return readsOfDatabase({ database, environment, now: () => session.nowMs });
}
