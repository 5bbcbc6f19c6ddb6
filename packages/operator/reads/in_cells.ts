import { listCells } from "@sabika/core/admin";
import { findPartner, type PartnerRecord } from "@sabika/core/partners";
import type { Database } from "@sabika/core/store";
import type { Session } from "../connect/session.ts";
import { notFound } from "../outcome.ts";

/** Where rows of partners are read, whichever cell they are in. */
export type InCells = ReturnType<typeof inCells>;

/**
 * @param control where the register and the list of cells are
 */
export function inCells(session: Session, control: Database) {
  return {
    /**
     * A partner, and the database with its rows.
     *
     * @throws RefusedError when there is no such partner, or its cell cannot be used now
     */
    async homeOf(clientId: string): Promise<PartnerRecord & { database: Database }> {
      const partner = await findPartner(control.sql, clientId);
      if (partner === undefined) {
        throw notFound(`partner "${clientId}"`);
      }
      return { ...partner, database: await session.databaseOf(partner.cellId) };
    },
    /**
     * What every cell has, control's own first, or the one of a partner.
     *
     * @throws RefusedError when one cannot be used now: what lacks a part says too little
     */
    async ofEach<T>(
      clientId: string | undefined,
      read: (database: Database) => Promise<T>,
    ): Promise<T[]> {
      const databases = clientId === undefined
        ? await session.allDatabases()
        : [(await this.homeOf(clientId)).database];
      return await Promise.all(databases.map(read));
    },
    /** What the first cell has that has it; control's own is asked first. */
    async findFirst<T>(
      find: (database: Database) => Promise<T | undefined>,
    ): Promise<T | undefined> {
      for (const { cellId } of await listCells(control.sql)) {
        const found = await find(await session.databaseOf(cellId));
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}
