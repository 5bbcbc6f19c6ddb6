import { refuse } from "@sabika/protocol";
import { and, asc, eq, isNull, or } from "drizzle-orm";
import { type Database, drizzle, type Transaction } from "@sabika/database";
import type { AdminOutcome, AdminRefusal } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction } from "../audit/change.ts";
import { cellActs } from "../booking/tables.ts";
import { MAIN_CELL } from "../cells/cells.ts";
import { cells } from "../cells/tables.ts";
import { partners } from "../partners/tables.ts";
import { partnerMoves } from "./tables.ts";

/**
 * Stops a cell from taking new partners, or lets it take them again. Its partners continue to trade.
 *
 * @param drains false to let it take new partners again
 * @returns the client ids of the partners that are still there, in alphabetical order
 */
export function drainCell(
  admin: AdminContext,
  cellId: string,
  drains: boolean,
): Promise<AdminOutcome<string[]>> {
  return inTransaction(admin, async (sql) => {
    const refusal = await lockCell(sql, cellId);
    if (refusal !== undefined) return refusal;
    const state = drains ? "draining" : "open";
    await drizzle(sql).update(cells).set({ state }).where(eq(cells.cellId, cellId));
    await writeAudit(sql, admin, "cell.drain", null, { cell: cellId, drains });
    return { ok: true, value: await readResidents(sql, cellId) };
  });
}

/**
 * Removes a drained and empty cell. Its name stays reserved, since other cells have copies of it.
 *
 * @param cell the cell's database, opened as its operator
 */
export function removeCell(
  admin: AdminContext,
  cellId: string,
  cell: Database,
): Promise<AdminOutcome<null>> {
  return inTransaction(admin, async (sql) => {
    const refusal = await lockCell(sql, cellId, "draining") ?? await whyInUse(sql, cellId, cell);
    if (refusal !== undefined) return refusal;
    await drizzle(sql).update(cells).set({ state: "removed" }).where(eq(cells.cellId, cellId));
    await writeAudit(sql, admin, "cell.remove", null, { cell: cellId });
    return { ok: true, value: null };
  });
}

/** Why a cell takes no new partner, undefined if it does; a drain waits for this transaction. */
export async function whyNotInto(
  sql: Transaction,
  cellId: string,
): Promise<AdminRefusal | undefined> {
  if (cellId === MAIN_CELL) return undefined;
  const [cell] = await drizzle(sql).select().from(cells).where(eq(cells.cellId, cellId))
    .for("share");
  if (cell === undefined) return refuse("not_found", `there is no cell "${cellId}"`);
  if (cell.state === "open") return undefined;
  return refuse("invalid_state", `the cell "${cellId}" takes no new partners: it is ${cell.state}`);
}

/** Locks a cell's row; admissions into the cell wait for it. */
async function lockCell(
  sql: Transaction,
  cellId: string,
  needed?: "draining",
): Promise<AdminRefusal | undefined> {
  if (cellId === MAIN_CELL) {
    return refuse("invalid_state", `"${MAIN_CELL}" is control's own cell, which stays`);
  }
  const [row] = await drizzle(sql).select().from(cells).where(eq(cells.cellId, cellId))
    .for("no key update");
  if (row === undefined) return refuse("not_found", `there is no cell "${cellId}"`);
  if (row.state === "removed") return refuse("invalid_state", `the cell "${cellId}" was removed`);
  if (needed === undefined || row.state === needed) return undefined;
  return refuse("invalid_state", `the cell "${cellId}" takes new partners: drain it first`);
}

async function whyInUse(
  sql: Transaction,
  cellId: string,
  cell: Database,
): Promise<AdminRefusal | undefined> {
  const residents = await readResidents(sql, cellId);
  if (residents.length > 0) {
    const more = residents.length > 3 ? ", …" : "";
    const names = `${residents.slice(0, 3).join(", ")}${more}`;
    return refuse("invalid_state", `${residents.length} partner(s) live there still: ${names}`);
  }
  const open = await drizzle(sql)
    .$count(cellActs, and(eq(cellActs.cellId, cellId), isNull(cellActs.result)));
  if (open > 0) return refuse("invalid_state", `${open} act(s) are still to be booked there`);
  const { fromCell, toCell, endedAt } = partnerMoves;
  const moving = await drizzle(sql)
    .$count(partnerMoves, and(or(eq(fromCell, cellId), eq(toCell, cellId)), isNull(endedAt)));
  if (moving > 0) return refuse("invalid_state", `${moving} partner(s) are being moved`);
  const [row] = await cell.sql<{ accounts: number; undelivered: number }[]>`
    select count(*)::int as accounts, count(*) filter (where a.last_event >= l.next_sequence
        or exists (select from event_deliveries d
          where d.partner_id = a.partner_id and d.state = 'failing'))::int as undelivered
    from accounts a join webhook_lanes l using (partner_id)`;
  const { accounts, undelivered } = row!;
  if (undelivered > 0) {
    return refuse(
      "invalid_state",
      `events of ${undelivered} partner(s) are still to be delivered there`,
    );
  }
  if (accounts === 0) return undefined;
  return refuse("invalid_state", `the accounts of ${accounts} partner(s) are there still`);
}

async function readResidents(sql: Transaction, cellId: string): Promise<string[]> {
  const rows = await drizzle(sql).select({ clientId: partners.clientId }).from(partners)
    .where(eq(partners.cellId, cellId)).orderBy(asc(partners.clientId));
  return rows.map(({ clientId }) => clientId);
}
