import type { Session } from "../connect/session.ts";
import { readsOfDatabase } from "./of_database.ts";
import { readsOfOffice } from "./of_office.ts";
import type { Reads } from "./reads.ts";

/** What a command reads: of the office that is named, else of the database. */
export async function openReads(session: Session): Promise<Reads> {
  return session.office === undefined
    ? readsOfDatabase(session, await session.database())
    : readsOfOffice(session.office);
}
