import { refuse, uuidV7 } from "@sabika/protocol";
import { eq } from "drizzle-orm";
import { drizzle, type Transaction } from "@sabika/database";
import { actIdOf, type AdminContext, writeAudit } from "@sabika/service/audit";
import { bookAct, bookAtOnce, cellActs, type RecordedAct } from "@sabika/service/booking";
import { MAIN_CELL } from "@sabika/service/cells";
import { lockAccounts } from "@sabika/service/ledger";
import { findOpenMove } from "@sabika/service/moving";
import { partners } from "@sabika/service/partners";
import type { ActName, AdminOutcome, AdminRefusal } from "@sabika/terms";
import type { PartnerAdminContext } from "../partners/partner_admin_context.ts";
import type { AnyBooking } from "./bookings/booking.ts";
import { findPartnerOf } from "./find_partner_of.ts";
import { openCell } from "./open_cell.ts";

/** An act that control has recorded and the partner's cell is still to book. */
export class UnbookedAct {
  readonly act: RecordedAct;
  readonly booking: AnyBooking;
  readonly input: Input;
  /** Whether an earlier request had recorded the act. */
  readonly isRepeated: boolean;

  constructor(act: RecordedAct, booking: AnyBooking, input: Input, isRepeated: boolean) {
    this.act = act;
    this.booking = booking;
    this.input = input;
    this.isRepeated = isRepeated;
  }
}

/**
 * Thrown when a cell fails to book a recorded act in time. Nobody needs to ask again: the servers have
 * the cell book it as soon as the cell answers.
 */
export class UnbookedError extends Error {
  override name = "UnbookedError";
}

type Within = PartnerAdminContext & { transaction: Transaction };
type Input = Readonly<Record<string, unknown>>;

/**
 * Records an act on a partner's rows, in the caller's transaction of control. In control's own cell it is
 * booked in that transaction as well.
 *
 * @returns its result; for another cell the {@linkcode UnbookedAct}, to be booked after the commit
 */
export async function recordAct(
  admin: Within,
  { name, booking }: { name: ActName; booking: AnyBooking },
  input: Input,
): Promise<AdminOutcome<unknown>> {
  const found = await findPartnerOf({ sql: admin.transaction, cells: admin.cells }, input);
  if (!found.ok) return found;
  const { cellId, clientId, partnerId } = found.value;
  const sql = admin.transaction;
  const opened = cellId === MAIN_CELL ? undefined : await openCell(admin, cellId);
  if (opened?.ok === false) return opened;
  const [partner] = await drizzle(sql).select().from(partners)
    .where(eq(partners.partnerId, partnerId)).for("no key update");
  // It may have been moved before it was locked.
  if (partner!.cellId !== cellId || await findOpenMove(sql, partnerId)) {
    return refuseMoving(clientId);
  }
  // In control's own cell this lock keeps what is prepared true until it is booked.
  if (opened === undefined) await lockAccounts(sql, partnerId);
  const cell = opened === undefined ? sql : opened.value.sql;
  const prepared = await booking.prepare({ admin, partner: partner!, cell }, input);
  if (!prepared.ok) return prepared;
  if ("done" in prepared.value) return { ok: true, value: prepared.value.done };
  if ("same" in prepared.value) {
    return { ok: true, value: new UnbookedAct(prepared.value.same, booking, input, true) };
  }
  const { audit, ...terms } = prepared.value.terms;
  const actId = actIdOf(admin) ?? uuidV7(admin.now(), admin.random);
  const act = { actId, cellId, partnerId, name, subjectId: actId, ...terms };
  await drizzle(sql).insert(cellActs).values(act);
  if (opened !== undefined) {
    await writeAudit(sql, admin, name, partnerId, { ...audit, cell: cellId });
    return { ok: true, value: new UnbookedAct(act, booking, input, false) };
  }
  const result = await bookAtOnce(sql, act, { nowMs: admin.now(), random: admin.random });
  if (result !== "booked") return booking.refuse(result, input);
  // After the vault, as everywhere: the head of the audit log is locked last.
  await writeAudit(sql, admin, name, partnerId, audit);
  return { ok: true, value: await booking.read(sql, { ...act, isRepeated: false }, input) };
}

const refuseMoving = (clientId: string): AdminRefusal =>
  refuse(
    "invalid_state",
    `"${clientId}" is being moved to another cell: ask again when it is there`,
  );

const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;

/**
 * Books an act in its cell, after control has recorded and committed it.
 *
 * @returns its result, or why the cell refused it
 * @throws {UnbookedError} when the cell fails, or does not book it within 10 s; then the servers see to it
 */
export async function bookInCell(
  { database: control, cells, now, random }: AdminContext,
  { act, booking, input, isRepeated }: UnbookedAct,
): Promise<AdminOutcome<unknown>> {
  const endMs = performance.now() + PATIENCE_MS;
  try {
    const cell = await cells!.open(act.cellId);
    while (true) {
      const result = await bookAct({ control, cell }, act, { nowMs: now(), random });
      if (result === "booked" || result === "repeated") {
        return { ok: true, value: await booking.read(cell.sql, { ...act, isRepeated }, input) };
      }
      if (result !== undefined) return booking.refuse(result, input);
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
