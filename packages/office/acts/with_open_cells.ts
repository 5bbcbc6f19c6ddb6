import type { Database } from "@sabika/database";
import type { AdminCells, AdminContext } from "@sabika/service/audit";
import { CellError, isAway } from "@sabika/service/cells";

/** Rolls back a transaction of control that needs a cell which is not open yet. */
class CellNeeded extends Error {
  override name = "CellNeeded";
  readonly cellId: string;

  constructor(cellId: string) {
    super(`the cell "${cellId}" is opened first`);
    this.cellId = cellId;
  }
}

/**
 * Runs a transaction of control whose cells are opened outside it: one that it needs is opened after it was rolled
 * back, and it runs again. Opening a cell waits for seconds while that is away, and asks control itself: a
 * transaction that waited for it would keep its session from everybody, and from the opening too.
 *
 * @param body runs the transaction, with cells that are open
 */
export async function withOpenCells<CONTEXT extends Pick<AdminContext, "cells">, T>(
  admin: CONTEXT,
  body: (admin: CONTEXT) => Promise<T>,
): Promise<T> {
  const { cells } = admin;
  if (cells === undefined) return await body(admin);
  const opened = new Map<string, Promise<Database>>();
  const open: AdminCells = {
    names: () => cells.names(),
    open: (cellId) => opened.get(cellId) ?? Promise.reject(new CellNeeded(cellId)),
  };
  while (true) {
    try {
      return await body({ ...admin, cells: open });
    } catch (error) {
      if (!(error instanceof CellNeeded)) throw error;
      const opening = openAnswering(cells, error.cellId);
      opened.set(error.cellId, opening);
      // Why it failed is said where it is used.
      await opening.catch(() => {});
    }
  }
}

/** Opens a cell that answers now: one that was opened before may be away since. */
async function openAnswering(cells: AdminCells, cellId: string): Promise<Database> {
  const database = await cells.open(cellId);
  try {
    await database.sql`select 1`;
  } catch (error) {
    throw isAway(error) ? new CellError("it does not answer") : error;
  }
  return database;
}
