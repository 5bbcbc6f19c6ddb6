import { refuse, uuidV7 } from "@sabika/protocol";
import { and, asc, eq, isNull } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import type { AdminOutcome } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction, unknownPartner } from "../audit/change.ts";
import { cellActs } from "../booking/tables.ts";
import { partners } from "../partners/tables.ts";
import { whyNotInto } from "./drain_cell.ts";
import { readHeldMoves } from "./hold_moves.ts";
import { partnerMoves } from "./tables.ts";

/** A partner's move to another cell, as control records it. */
export type PartnerMove = typeof partnerMoves.$inferSelect;

/** Finds the partner's move that has not ended; undefined when there is none. */
export async function findOpenMove(
  sql: AnySql,
  partnerId: number,
): Promise<PartnerMove | undefined> {
  const [move] = await drizzle(sql).select().from(partnerMoves)
    .where(and(eq(partnerMoves.partnerId, partnerId), isNull(partnerMoves.endedAt)));
  return move;
}

/** A move that has not ended. */
export interface OpenMove extends PartnerMove {
  readonly clientId: string;
  /** Whether somebody carries it out now; otherwise an office goes on with it within a second. */
  readonly isHeld: boolean;
}

/** Lists all moves that have not ended, the oldest first. Read in control. */
export async function listOpenMoves(sql: AnySql): Promise<OpenMove[]> {
  const rows = await drizzle(sql).select({ move: partnerMoves, clientId: partners.clientId })
    .from(partnerMoves).innerJoin(partners, eq(partners.partnerId, partnerMoves.partnerId))
    .where(isNull(partnerMoves.endedAt)).orderBy(asc(partnerMoves.begunAt));
  // Read afterwards, so that a move is not called unheld before its mover has come to it.
  const held = await readHeldMoves(sql);
  return rows.map(({ move, clientId }) => ({
    ...move,
    clientId,
    isHeld: held.has(move.partnerId),
  }));
}

/**
 * Records that a partner moves to another cell, with an audit entry. Until the move ends, acts on the
 * partner's own rows are refused.
 */
export async function beginMove(
  admin: AdminContext,
  { clientId, toCell }: { clientId: string; toCell: string },
): Promise<AdminOutcome<PartnerMove>> {
  return await inTransaction(admin, async (sql) => {
    const orm = drizzle(sql);
    const [partner] = await orm.select().from(partners).where(eq(partners.clientId, clientId))
      .for("no key update");
    if (partner === undefined) return unknownPartner(clientId);
    const { partnerId, cellId: fromCell } = partner;
    const wrongCell = await whyNotInto(sql, toCell);
    if (wrongCell !== undefined) return wrongCell;
    if (fromCell === toCell) {
      return refuse("invalid_state", `"${clientId}" is in the cell "${toCell}" already`);
    }
    const openMove = await findOpenMove(sql, partnerId);
    if (openMove !== undefined) {
      return refuse("invalid_state", `"${clientId}" is being moved to "${openMove.toCell}"`);
    }
    const [openAct] = await orm.select().from(cellActs)
      .where(and(eq(cellActs.partnerId, partnerId), isNull(cellActs.result))).limit(1);
    if (openAct !== undefined) {
      return refuse("invalid_state", `its cell has not booked the act ${openAct.actId} yet`);
    }
    const newId = () => uuidV7(admin.now(), admin.random);
    const ids = { moveId: newId(), leaveActId: newId(), enterActId: newId() };
    const [move] = await orm.insert(partnerMoves).values({ ...ids, partnerId, fromCell, toCell })
      .returning();
    await writeAudit(sql, admin, "partner.move", partnerId, { from: fromCell, to: toCell });
    return { ok: true, value: move! };
  });
}

/** Records the step that a move has reached, with the last one its end (epoch milliseconds); nothing when it has ended. */
export async function noteStep(
  sql: AnySql,
  { moveId }: Pick<PartnerMove, "moveId">,
  step: "copying" | "fencing" | "switched" | "done",
  endedAt?: number,
): Promise<void> {
  await drizzle(sql).update(partnerMoves).set({ step, endedAt })
    .where(and(eq(partnerMoves.moveId, moveId), isNull(partnerMoves.endedAt)));
}

/** The gold that the cell had been granted with the partner when it left; undefined while it has not left. */
export async function findGranted(source: AnySql, moveId: string): Promise<bigint | undefined> {
  const [left] = await source<{ granted: bigint }[]>`
    select -(e.accounts::accounts).vault_micrograms as granted from move_ends e
    where move_id = ${moveId}::uuid and side = 'left'`;
  return left?.granted;
}
