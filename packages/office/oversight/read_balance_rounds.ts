import { mapConcurrently } from "@sabika/database";
import type { AdminContext } from "@sabika/service/audit";
import { isAway, MAIN_CELL } from "@sabika/service/cells";
import { type BalanceRound, readBalanceRound } from "@sabika/service/ledger";
import { listCells } from "@sabika/service/moving";

/** The latest comparison of balances in a cell. */
export interface CellBalanceRound {
  readonly cellId: string;
  /** Undefined while the cell cannot be reached. */
  readonly round: BalanceRound | undefined;
}

/** Reads the latest comparison of balances with transfers in each cell, control's own first. */
export async function readBalanceRounds(
  { database, cells }: Pick<AdminContext, "database" | "cells">,
): Promise<CellBalanceRound[]> {
  const cellRecords = await listCells(database.sql);
  return await mapConcurrently(cellRecords, async ({ cellId }) => {
    if (cellId === MAIN_CELL) return { cellId, round: await readBalanceRound(database.sql) };
    try {
      const cell = await cells?.open(cellId);
      return { cellId, round: cell && await readBalanceRound(cell.sql) };
    } catch (error) {
      if (isAway(error)) return { cellId, round: undefined };
      throw error;
    }
  });
}
