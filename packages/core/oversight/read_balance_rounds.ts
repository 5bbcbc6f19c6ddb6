import type { AdminContext } from "../admin/admin_context.ts";
import { listCells } from "../admin/cells.ts";
import { type BalanceRound, readBalanceRound } from "../ledger/balance_round.ts";
import { MAIN_CELL } from "../store/cells.ts";
import { ofEach } from "../store/of_each.ts";
import { isAway } from "./is_away.ts";

/** What the latest comparison of balances found in a cell; undefined of one that cannot be used now. */
export interface CellsRound {
  readonly cellId: string;
  readonly round: BalanceRound | undefined;
}

/** The latest comparison of balances with transfers in each cell, control's own first. */
export async function readBalanceRounds(
  { database, cells }: Pick<AdminContext, "database" | "cells">,
): Promise<CellsRound[]> {
  const listed = await listCells(database.sql);
  return await ofEach(listed, async ({ cellId }) => {
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
