import { and, eq } from "drizzle-orm";
import { type AnySql, type Database, drizzle, type TransactingSql } from "@sabika/database";
import { compareBalances } from "./compare_rows.ts";
import { copyRows } from "./copy_rows.ts";
import type { HeldMoves } from "./hold_moves.ts";
import { findGranted, type PartnerMove } from "./moves.ts";
import { moveEnds } from "./tables.ts";

/**
 * Lets a partner enter a cell again that was restored to a time before it came, with the rows that it
 * left behind in its previous cell.
 *
 * @param of.actId the act by which its gold was granted; null if there was none
 * @throws Error when the previous cell does not know that it left, or has different rows
 */
export async function enterAgain(
  { source, target }: { readonly source: Database; readonly target: Database },
  { moveId, partnerId, actId }: {
    readonly moveId: string;
    readonly partnerId: number;
    readonly actId: string | null;
  },
): Promise<void> {
  await awaitAgain({ source: source.sql, target: target.sql }, { moveId, partnerId });
  const [row] = await target.sql<{ entered: boolean }[]>`
    select enter_cell(${moveId}::uuid, ${partnerId}::integer, ${actId}::uuid) as entered`;
  if (!row!.entered) throw new Error(`the cell has no copy of where partner ${partnerId} is`);
}

/**
 * Has the target of a move await again a partner that has left, with the rows that it left behind, if the target was
 * restored to a time before it did. The partner's previous cell is only asked when the target awaits nobody.
 *
 * @throws Error as `enterAgain`
 */
export async function awaitIfRestored(
  held: Pick<HeldMoves, "cell">,
  { moveId, partnerId, fromCell, toCell }: PartnerMove,
): Promise<void> {
  const target = await held.cell(toCell);
  const isAwaited = and(eq(moveEnds.moveId, moveId), eq(moveEnds.side, "awaited"));
  if (await drizzle(target).$count(moveEnds, isAwaited) > 0) return;
  const source = await held.cell(fromCell);
  const hasLeft = await findGranted(source, moveId) !== undefined;
  if (hasLeft) await awaitAgain({ source, target }, { moveId, partnerId });
}

async function awaitAgain(
  { source, target }: { readonly source: TransactingSql; readonly target: AnySql },
  { moveId, partnerId }: { readonly moveId: string; readonly partnerId: number },
): Promise<void> {
  const [left] = await source<{ accounts: string; lane: string }[]>`
    select accounts, lane from move_ends
    where move_id = ${moveId}::uuid and side = 'left' and accounts is not null`;
  if (left === undefined) {
    throw new Error(`the cell that partner ${partnerId} came from has not kept what it had`);
  }
  const { accounts, lane } = left;
  await source.begin((sql) => copyRows(sql, target, { partnerId }));
  await compareBalances(target, { partnerId, accounts });
  await target`select await_partner(${moveId}::uuid, ${partnerId}::integer, ${accounts}, ${lane})`;
}
