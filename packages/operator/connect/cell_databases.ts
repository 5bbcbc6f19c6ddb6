import { listCells } from "@sabika/core/admin";
import { CellError, type Database, MAIN_CELL } from "@sabika/core/store";
import { RefusedError } from "../outcome.ts";
import type { Session } from "./session.ts";

/**
 * The database with the rows of a cell's partners.
 *
 * @throws RefusedError when it cannot be used now
 */
export async function databaseOf(session: Session, cellId: string): Promise<Database> {
  if (cellId === MAIN_CELL) return await session.database();
  try {
    return await session.cells.open(cellId);
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    throw new RefusedError("cell_away", `the cell "${cellId}" cannot be used: ${error.message}`);
  }
}

/**
 * The databases of all cells, control's own first, for lists of what is in any of them.
 *
 * @throws RefusedError when one cannot be used now: a list that lacks a part says too little
 */
export async function allDatabases(session: Session): Promise<Database[]> {
  const entries = await listCells((await session.database()).sql);
  return await Promise.all(entries.map(({ cellId }) => databaseOf(session, cellId)));
}
