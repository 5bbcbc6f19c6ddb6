import { type InCells, inCells as inCellsOf } from "@sabika/core/oversight";
import type { PartnerRecord } from "@sabika/core/partners";
import type { Database } from "@sabika/core/store";
import type { Session } from "../connect/session.ts";
import { notFound } from "../outcome.ts";

/** Where rows of partners are read; a partner that is not there is refused. */
export interface CellsOfSession extends InCells {
  /** @throws RefusedError when there is no such partner, or its cell cannot be used now */
  homeOf(clientId: string): Promise<PartnerRecord & { database: Database }>;
}

/**
 * @param control where the register and the list of cells are
 */
export function inCells(session: Session, control: Database): CellsOfSession {
  const cells = inCellsOf({ control, openCell: (cellId) => session.databaseOf(cellId) });
  const refuse = (clientId: string) => notFound(`partner "${clientId}"`);
  return {
    ...cells,
    async homeOf(clientId) {
      const home = await cells.homeOf(clientId);
      if (home === undefined) throw refuse(clientId);
      return home;
    },
    async ofEach(clientId, read) {
      const found = await cells.ofEach(clientId, read);
      if (clientId !== undefined && found.length === 0) throw refuse(clientId);
      return found;
    },
  };
}
