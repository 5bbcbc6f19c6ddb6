import { and, eq, isNotNull } from "drizzle-orm";
import { drizzle, type Sql } from "@sabika/database";
import type { Difference } from "../ledger/reconcile.ts";
import { bookedActs, cellActs } from "./tables.ts";

/**
 * Compares what control has recorded for a cell with what the cell has booked, act by act (Decision D53).
 * Open acts and acts in progress are no differences: control's finished acts are read before those of
 * the cell, and its recorded acts after them.
 *
 * @returns each difference as an act: 1 on the side that has it, 0 where it is missing or differs
 */
export async function compareActs(
  { control, cell, cellId }: { control: Sql; cell: Sql; cellId: string },
): Promise<Difference[]> {
  const ofCell = eq(cellActs.cellId, cellId);
  const finished = await drizzle(control).select().from(cellActs)
    .where(and(ofCell, isNotNull(cellActs.result)));
  const booked = await drizzle(cell)
    .select({ act: cellActs, booked: bookedActs })
    .from(bookedActs).leftJoin(cellActs, eq(cellActs.actId, bookedActs.actId));
  const recorded = new Map(
    (await drizzle(control).select().from(cellActs).where(ofCell)).map((act) => [act.actId, act]),
  );
  const inCell = new Map(booked.map((row) => [row.booked.actId, row]));
  const differences: Difference[] = [];
  const note = (actId: string, partnerId: number, isInControl: boolean) => {
    const [expected, actual] = isInControl ? [1n, 0n] : [0n, 1n];
    differences.push({ check: "acts", partnerId, subject: actId, expected, actual });
  };
  for (const { actId, partnerId, result } of finished) {
    if (inCell.get(actId)?.booked.result !== result) note(actId, partnerId, true);
  }
  for (const { act, booked: { actId, partnerId } } of booked) {
    const record = recorded.get(actId);
    const isSame = act !== null && record !== undefined && act.name === record.name &&
      act.amount === record.amount && act.partnerId === record.partnerId &&
      partnerId === record.partnerId && act.subjectId === record.subjectId;
    if (!isSame) note(actId, partnerId, false);
  }
  return differences;
}
