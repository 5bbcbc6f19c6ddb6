import type { Database } from "@sabika/database";
import type { AdminCells } from "@sabika/service/audit";
import { CellError, MAIN_CELL } from "@sabika/service/cells";
import { RefusedError } from "../outcome.ts";

/** Control's database, and the databases of the other cells. */
interface Databases {
  readonly cells: AdminCells;
  database(): Promise<Database>;
}

/**
 * The database with the rows of a cell's partners.
 *
 * @throws RefusedError when that database cannot be used now
 */
export async function databaseOf(at: Databases, cellId: string): Promise<Database> {
  if (cellId === MAIN_CELL) return await at.database();
  try {
    return await at.cells.open(cellId);
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    throw new RefusedError("cell_away", `the cell "${cellId}" cannot be used: ${error.message}`);
  }
}

/** Why a cell cannot be used, as seen from here; null when it can. */
export async function troubleOf(at: Databases, cellId: string): Promise<string | null> {
  if (cellId === MAIN_CELL) return null;
  try {
    await at.cells.open(cellId);
    return null;
  } catch (error) {
    if (error instanceof CellError) return error.message;
    throw error;
  }
}
