import { refuse, uuidV7 } from "@sabika/protocol";
import { and, eq, isNull } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import type { AdminOutcome } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { findPartnerId, inTransaction, unknownPartner } from "../audit/change.ts";
import { cellActs } from "../booking/tables.ts";
import { partners } from "../partners/tables.ts";
import { whyNotInto } from "./drain_cell.ts";
import { partnerMoves } from "./tables.ts";

/** A move, as control has recorded it. */
export type PartnerMove = typeof partnerMoves.$inferSelect;

/** The move that a partner is in; undefined when it is in none. */
export async function findOpenMove(
  sql: AnySql,
  partnerId: number,
): Promise<PartnerMove | undefined> {
  const [move] = await drizzle(sql).select().from(partnerMoves)
    .where(and(eq(partnerMoves.partnerId, partnerId), isNull(partnerMoves.endedAt)));
  return move;
}

/** The move that the partner with a client id is in; undefined when it is in none. */
export async function findOpenMoveOf(
  sql: AnySql,
  clientId: string,
): Promise<PartnerMove | undefined> {
  const partnerId = await findPartnerId(sql, clientId);
  return partnerId === undefined ? undefined : await findOpenMove(sql, partnerId);
}

/**
 * Records that a partner is to be moved to another cell, with its audit entry. From then on acts on its
 * own rows are refused, until the move has ended.
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
    const before = await findOpenMove(sql, partnerId);
    if (before !== undefined) {
      return refuse("invalid_state", `"${clientId}" is being moved to "${before.toCell}"`);
    }
    const [open] = await orm.select().from(cellActs)
      .where(and(eq(cellActs.partnerId, partnerId), isNull(cellActs.result))).limit(1);
    if (open !== undefined) {
      return refuse("invalid_state", `its cell has not booked the act ${open.actId} yet`);
    }
    const id = () => uuidV7(admin.now(), admin.random);
    const ids = { moveId: id(), leaveActId: id(), enterActId: id() };
    const [move] = await orm.insert(partnerMoves).values({ ...ids, partnerId, fromCell, toCell })
      .returning();
    await writeAudit(sql, admin, "partner.move", partnerId, { from: fromCell, to: toCell });
    return { ok: true, value: move! };
  });
}

/** Notes how far a move has come, unless it has ended. */
export async function noteStep(
  sql: AnySql,
  { moveId }: Pick<PartnerMove, "moveId">,
  step: "copying" | "fencing" | "switched",
): Promise<void> {
  await drizzle(sql).update(partnerMoves).set({ step })
    .where(and(eq(partnerMoves.moveId, moveId), isNull(partnerMoves.endedAt)));
}

/** Ends a move. */
export async function endMove(
  sql: AnySql,
  { moveId }: Pick<PartnerMove, "moveId">,
  step: "done" | "cancelled",
  nowMs: number,
): Promise<void> {
  await drizzle(sql).update(partnerMoves).set({ step, endedAt: nowMs })
    .where(and(eq(partnerMoves.moveId, moveId), isNull(partnerMoves.endedAt)));
}
