import { uuidV7, WITHDRAWAL } from "@sabika/protocol";
import { and, asc, eq, isNull } from "drizzle-orm";
import { type Database, drizzle, mapConcurrently, type Transaction } from "@sabika/database";
import { MAIN_CELL } from "../cells/cells.ts";
import { readWithdrawal } from "../withdrawals/read_withdrawals.ts";
import { withdrawals } from "../withdrawals/tables.ts";
import { cellActs } from "./tables.ts";

/** An act on the rows of a partner of another cell, as control has recorded it (Decision D53). */
export type RecordedAct = Pick<
  typeof cellActs.$inferSelect,
  "actId" | "cellId" | "partnerId" | "name" | "subjectId"
>;

interface Chance {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  readonly random: (length: number) => Uint8Array;
}

/**
 * Books an act in its cell, and reports the result to control. However often this is called, also
 * concurrently, the act is booked once.
 *
 * @returns `booked`, `repeated`, or why the cell refuses it; undefined while the cell has no copy of it
 */
export async function bookAct(
  { control, cell }: { control: Database; cell: Database },
  act: RecordedAct,
  chance: Chance,
): Promise<string | undefined> {
  const result = await cell.sql.begin((sql) => book(sql, act, chance));
  // Released gold stays promised until here, so that a crash never promises too little.
  if (result !== undefined) await control.sql`select finish_act(${act.actId}::uuid, ${result})`;
  return result;
}

async function book(
  sql: Transaction,
  { actId, partnerId, name, subjectId }: RecordedAct,
  { nowMs, random }: Chance,
): Promise<string | undefined> {
  const eventId = uuidV7(nowMs, random);
  const [row] = await sql<{ result: string | null }[]>`
    select book_act(${actId}::uuid, ${eventId}::uuid) as result`;
  const result = row!.result ?? undefined;
  if (result !== "booked" || !name.startsWith("withdrawal.")) return result;
  const [withdrawal] = await drizzle(sql).select().from(withdrawals).where(
    and(eq(withdrawals.partnerId, partnerId), eq(withdrawals.withdrawalId, subjectId)),
  );
  const object = WITHDRAWAL.write(readWithdrawal(withdrawal!));
  await sql`select report_act(${actId}::uuid, ${eventId}::uuid, ${object})`;
  return result;
}

/**
 * Books an act in control's own cell, in the transaction that records it.
 *
 * @returns `booked`, `repeated`, or why it is refused: then the caller rolls back
 * @throws Error when the act is not recorded there
 */
export async function bookAtOnce(
  control: Transaction,
  act: RecordedAct,
  chance: Chance,
): Promise<string> {
  const result = await book(control, act, chance);
  if (result === undefined) {
    throw new Error(`the act ${act.actId} is not booked where it was recorded`);
  }
  await control`select finish_act(${act.actId}::uuid, ${result})`;
  return result;
}

const AT_ONCE = 100;

/**
 * Books open acts, whose caller was interrupted between control and cell, at most 100 of each cell.
 * The acts of a cell that is away keep waiting; control's own cell has no open acts.
 *
 * @param options.cells the cells that can be used now, by their names
 * @throws the first failure, after all acts were tried
 */
export async function bookOpenActs(
  { control, cells, ...chance }:
    & { readonly control: Database; readonly cells: ReadonlyMap<string, Database> }
    & Chance,
): Promise<void> {
  const failures: unknown[] = [];
  await mapConcurrently(cells, async ([cellId, cell]) => {
    if (cellId === MAIN_CELL) return;
    const open = await drizzle(control.sql).select().from(cellActs)
      .where(and(eq(cellActs.cellId, cellId), isNull(cellActs.result)))
      .orderBy(asc(cellActs.recordedAt)).limit(AT_ONCE);
    for (const act of open) {
      await bookAct({ control, cell }, act, chance).catch((error) => failures.push(error));
    }
  });
  if (failures.length > 0) throw failures[0];
}
