import type { Session } from "../connect/session.ts";
import { readsOfOffice } from "./of_office.ts";
import type { Reads } from "./reads.ts";

/** What a command reads: of the office that is named, else of the database. */
export async function openReads(session: Session): Promise<Reads> {
  if (session.office !== undefined) return readsOfOffice(session.office);
  // Who asks the office waits for no code of a database.
  const { readsOfDatabase } = await import("./of_database.ts");
  return readsOfDatabase(session, await session.database());
}
