import { parseId, refuse, uuidV7 } from "@sabika/protocol";
import { eq, type SQL } from "drizzle-orm";
import type { AdminContext } from "../admin/admin_context.ts";
import { writeAudit } from "../admin/audit.ts";
import type { LockedPartner } from "../admin/change.ts";
import type { AdminOutcome, AdminRefusal } from "../admin/refusal.ts";
import { findOpenMove } from "../partners/moving/moves.ts";
import type { PartnerAdminContext } from "../partners/partner_admin_context.ts";
import { MAIN_CELL } from "../store/cells.ts";
import { drizzle } from "../store/drizzle.ts";
import { cellActs, partners } from "../store/schema/mod.ts";
import type { Transaction } from "../store/sql.ts";
import { bookAct, type RecordedAct } from "../trading/book_act.ts";
import { findPartnerOfWithdrawal } from "../trading/settle_withdrawal.ts";
import { ACTS_IN_CELLS } from "./acts_in_cells.ts";
import type { ActInCell } from "./cell_act.ts";
import type { CarriedName } from "./catalogue.ts";
import { openCell } from "./open_cell.ts";

/** An act that control has recorded, and the partner's cell is still to book. */
export class UnbookedAct {
  readonly act: RecordedAct;
  readonly given: unknown;
  /** Whether it was recorded before, for somebody who asked for the same. */
  readonly isRepeated: boolean;

  constructor(act: RecordedAct, given: unknown, isRepeated: boolean) {
    this.act = act;
    this.given = given;
    this.isRepeated = isRepeated;
  }
}

/**
 * The cell did not book in time what control has recorded: nobody needs to ask again, since the servers
 * book it as soon as the cell answers them.
 */
export class UnbookedError extends Error {
  override name = "UnbookedError";
}

type Within = PartnerAdminContext & { transaction: Transaction };

/**
 * Records an act whose partner's rows are in another cell, in the caller's transaction of control.
 *
 * @returns the act, to be booked after the commit; undefined when it is control's own to do
 */
export async function recordInCell(
  admin: Within,
  name: CarriedName,
  given: Readonly<Record<string, unknown>>,
): Promise<AdminOutcome<unknown> | undefined> {
  const inCell = inCellOf(name);
  if (inCell === undefined) return undefined;
  const about = await findPartnerOf(admin, given);
  if (about === undefined || !about.ok) return about;
  const { cellId, clientId, partnerId } = about.value;
  const opened = cellId === MAIN_CELL ? undefined : await openCell(admin, cellId);
  if (opened?.ok === false) return opened;
  const sql = admin.transaction;
  const [partner] = await drizzle(sql).select().from(partners)
    .where(eq(partners.partnerId, partnerId)).for("no key update");
  // Neither control's own rows of a partner that is being moved are acted on, nor a cell's.
  if (await findOpenMove(sql, partnerId)) return isMoving(clientId);
  if (opened === undefined) return undefined;
  const cell = opened.value;
  const prepared = await inCell.prepare({ admin, partner: partner!, cell: cell.sql }, given);
  if (!prepared.ok) return prepared;
  if ("done" in prepared.value) return { ok: true, value: prepared.value.done };
  if ("same" in prepared.value) {
    return { ok: true, value: new UnbookedAct(prepared.value.same, given, true) };
  }
  const { audit, ...terms } = prepared.value.terms;
  const actId = idOf(admin);
  const act = { actId, cellId, partnerId, name, subjectId: actId, ...terms };
  await drizzle(sql).insert(cellActs).values(act);
  await writeAudit(sql, admin, name, partnerId, { ...audit, cell: cellId });
  return { ok: true, value: new UnbookedAct(act, given, false) };
}

const isMoving = (clientId: string): AdminRefusal =>
  refuse(
    "invalid_state",
    `"${clientId}" is being moved to another cell: ask again when it is there`,
  );

/** What was signed is booked under its own id. */
function idOf({ warrant, now, random }: AdminContext): string {
  return warrant !== undefined && "signed" in warrant ? warrant.signed.id : uuidV7(now(), random);
}

type Found = Pick<LockedPartner, "cellId" | "clientId" | "partnerId">;

/** The partner that an act is about, by its name or by a withdrawal, in whichever cell that is. */
async function findPartnerOf(
  admin: Within,
  { partner, withdrawal }: Readonly<Record<string, unknown>>,
): Promise<AdminOutcome<Found> | undefined> {
  const { cellId, clientId, partnerId } = partners;
  const sql = admin.transaction;
  const find = async (which: SQL) => {
    const [value] = await drizzle(sql).select({ cellId, clientId, partnerId }).from(partners)
      .where(which);
    return value && { ok: true, value } as const;
  };
  if (typeof partner === "string") return await find(eq(clientId, partner));
  const uuid = typeof withdrawal === "string" ? parseId("wd", withdrawal) : undefined;
  if (uuid === undefined) return undefined;
  const own = await findPartnerOfWithdrawal(sql, uuid);
  if (own !== undefined) return await find(eq(partnerId, own));
  let away: AdminRefusal | undefined;
  for (const name of await admin.cells?.names() ?? []) {
    const cell = await openCell(admin, name);
    const owner = cell.ok ? await findPartnerOfWithdrawal(cell.value.sql, uuid) : undefined;
    if (owner !== undefined) return await find(eq(partnerId, owner));
    if (!cell.ok) away = cell;
  }
  return away;
}

const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;

/**
 * Has an act booked that control has recorded and committed.
 *
 * @returns what came of it, or why the cell refused it
 * @throws {UnbookedError} when the cell does not book it in time; then the servers do
 */
export async function bookInCell(
  { database: control, cells, now, random }: AdminContext,
  { act, given, isRepeated }: UnbookedAct,
): Promise<AdminOutcome<unknown>> {
  const inCell = inCellOf(act.name)!;
  const endMs = performance.now() + PATIENCE_MS;
  try {
    const cell = await cells!.open(act.cellId);
    while (true) {
      const result = await bookAct({ control, cell }, act, { nowMs: now(), random });
      if (result === "booked" || result === "repeated") {
        return { ok: true, value: await inCell.read(cell.sql, { ...act, isRepeated }, given) };
      }
      if (result !== undefined) return inCell.refuse(result, given);
      if (performance.now() > endMs) throw new Error("it has no copy of the act yet");
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  } catch (cause) {
    throw new UnbookedError(
      `not done yet: the act ${act.actId} is recorded, and the servers have the cell ` +
        `"${act.cellId}" book it; do not ask again`,
      { cause },
    );
  }
}

function inCellOf(name: string): ActInCell<unknown, unknown> | undefined {
  const found = Object.hasOwn(ACTS_IN_CELLS, name)
    ? ACTS_IN_CELLS[name as keyof typeof ACTS_IN_CELLS]
    : undefined;
  return found as ActInCell<unknown, unknown> | undefined;
}
