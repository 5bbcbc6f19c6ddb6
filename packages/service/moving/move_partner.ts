import { eq } from "drizzle-orm";
import { type AnySql, drizzle, type TransactingSql, type Transaction } from "@sabika/database";
import { stampRevision } from "../audit/change.ts";
import { cellActs } from "../booking/tables.ts";
import { MAIN_CELL } from "../cells/cells.ts";
import { partners } from "../partners/tables.ts";
import { compareBalances, compareRows } from "./compare_rows.ts";
import { copyChanges, horizonOf, type Mark, readMark } from "./copy_changes.ts";
import { copyRows } from "./copy_rows.ts";
import { awaitIfRestored } from "./enter_again.ts";
import type { HeldMoves } from "./hold_moves.ts";
import { findGranted, noteStep, type PartnerMove } from "./moves.ts";
import { partnerMoves } from "./tables.ts";

/** The clocks of whoever carries out a move. */
export interface MoveClocks {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
  readonly pause: (ms: number) => Promise<void>;
  /** For tests: called with each step before it is taken. */
  readonly onStep?: (step: MoveStep) => Promise<void> | void;
}

/** The steps of a move in order; it can be interrupted before each of them. */
export const MOVE_STEPS = [
  "copy",
  "fence",
  "await",
  "leave",
  "switch",
  "enter",
  "clear",
  "end",
] as const;
export type MoveStep = (typeof MOVE_STEPS)[number];

/** The result of a move. */
export interface Moved {
  /** How many rows were sent, some of them more than once. */
  readonly rows: number;
  /** How long the partner's orders waited, in ms; undefined when the move was resumed after the lock. */
  readonly fencedMs: number | undefined;
}

/** With more new rows than this another pass is made before the lock. */
const FEW_ROWS = 500;
const MOST_PASSES = 8;
const ONE_SNAPSHOT = "isolation level repeatable read";
/** How long the target's copy of the directory may take. */
const PATIENCE_MS = 30_000;

/**
 * Carries out a move that control has recorded, from where it was left. While rows are copied, the partner
 * trades on. Then its accounts row is locked in the source, the rest is copied and compared, and the row is
 * deleted there: until that commits the source is its home, and afterwards it has none until the target is
 * told, so it never has two. Transactions that waited for the row get `moved`, and find the partner by the
 * register.
 *
 * @param held the partner's moves, held since before `move` was read
 * @throws Error when it cannot continue now
 */
export async function movePartner(
  held: HeldMoves,
  clocks: MoveClocks,
  move: PartnerMove,
): Promise<Moved> {
  const { control } = held;
  const { now, onStep = () => {} } = clocks;
  const { partnerId, moveId, fromCell, toCell, enterActId } = move;
  const isMain = toCell === MAIN_CELL;
  const target = await held.cell(toCell);
  await untilKnown(clocks, target, move, toCell);
  await awaitIfRestored(held, move);
  let rows = 0;
  let heldAtMs: number | undefined;
  // Once control has switched, the partner enters even while its previous cell is away.
  if (move.step !== "switched") {
    const place = { control, source: await held.cell(fromCell), target, onStep };
    await untilKnown(clocks, place.source, move, fromCell);
    if (await findGranted(place.source, moveId) === undefined) {
      await onStep("copy");
      await noteStep(control, move, "copying");
      const copied = await copyWhileTrading(place, partnerId);
      await onStep("fence");
      await noteStep(control, move, "fencing");
      heldAtMs = clocks.monotonic();
      rows = copied.rows + await fence(place, move, copied.mark);
    }
    await onStep("switch");
    const granted = await findGranted(place.source, moveId);
    await control.begin((sql) => switchDirectory(sql, move, granted!));
  }
  await onStep("enter");
  if (!isMain) await enter(held, clocks, move);
  const fencedMs = heldAtMs === undefined ? undefined : clocks.monotonic() - heldAtMs;
  await onStep("clear");
  const source = await held.cell(fromCell);
  await awaitLeaving({ control, source }, clocks, move);
  if (!isMain) await control`select finish_act(${enterActId}::uuid, 'booked')`;
  await source`select clear_after_move(${moveId}::uuid, ${partnerId}::integer)`;
  await onStep("end");
  await noteStep(control, move, "done", now());
  return { rows, fencedMs };
}

interface Ends {
  readonly control: TransactingSql;
  readonly source: TransactingSql;
  readonly target: TransactingSql;
  readonly onStep: NonNullable<MoveClocks["onStep"]>;
}

/**
 * Copies until few rows are new, and compares everything copied.
 *
 * @returns how many rows were copied, and the mark up to which they were compared
 */
async function copyWhileTrading(
  { source, target }: Ends,
  partnerId: number,
): Promise<{ rows: number; mark: Mark }> {
  const first = await source.begin((sql) => copyRows(sql, target, { partnerId }));
  let rows = first.rows;
  const compareAll = (horizon: string) =>
    source.begin(ONE_SNAPSHOT, async (sql) => {
      const now = await readMark(sql, partnerId);
      rows += (await copyRows(sql, target, { partnerId, since: horizon })).rows;
      await compareRows(sql, target, now);
      return now;
    });
  let mark = await compareAll(first.horizon);
  for (let n = 1, isMuch = true; n <= MOST_PASSES && isMuch; n++) {
    const [changes, now] = await source.begin(ONE_SNAPSHOT, async (sql) => {
      const now = await readMark(sql, partnerId);
      return [await copyChanges(sql, target, { since: mark, now }), now] as const;
    });
    rows += changes.rows;
    isMuch = changes.rows > FEW_ROWS || !changes.isWhole;
    mark = changes.isWhole ? now : await compareAll(horizonOf(mark));
  }
  return { rows, mark };
}

/**
 * Locks the partner's accounts and lane in the source until all its rows are in the target, and then
 * deletes them. If the mover dies, the locks end, and the source is the partner's home as before.
 *
 * @returns how many rows were copied
 */
async function fence(
  { control, source, target, onStep }: Ends,
  move: PartnerMove,
  since: Mark,
): Promise<number> {
  const { partnerId, moveId, fromCell } = move;
  return await source.begin(async (sql) => {
    await sql.unsafe(`set local lock_timeout = '5s';
      set local idle_in_transaction_session_timeout = '5s'`);
    // No receipt is kept meanwhile (`keep_receipts`).
    await sql`select pg_advisory_xact_lock(7320)`;
    await sql`select lock_accounts(${partnerId}::integer)`;
    const [ownLane] = await sql<{ lane: string; granted: bigint }[]>`
      select l::text as lane, -a.vault_micrograms as granted
      from accounts a join webhook_lanes l using (partner_id)
      where a.partner_id = ${partnerId}::integer for update of l`;
    if (ownLane === undefined) {
      throw new Error(`partner ${partnerId} has no accounts in ${fromCell} yet`);
    }
    const { rows, accounts } = await copyRest(sql, target, since);
    await onStep("await");
    await target`select await_partner(${moveId}::uuid, ${partnerId}::integer, ${accounts},
      ${ownLane.lane})`;
    const leaveActId = fromCell === MAIN_CELL || ownLane.granted === 0n ? null : move.leaveActId;
    if (leaveActId !== null) await recordGrant(control, move, "leave", ownLane.granted);
    await onStep("leave");
    await sql`select leave_cell(${moveId}::uuid, ${partnerId}::integer, ${leaveActId}::uuid)`;
    // Control's own books lose the partner and gain a grant to another cell in one transaction.
    if (fromCell === MAIN_CELL) await switchDirectory(sql, move, ownLane.granted);
    return rows;
  });
}

/** Copies and compares what is new since the mark, or everything if something was not found. */
async function copyRest(
  source: Transaction,
  target: AnySql,
  since: Mark,
): Promise<{ rows: number; accounts: string }> {
  const { partnerId } = since;
  const now = await readMark(source, partnerId);
  const { accounts } = now;
  const { rows, isWhole } = await copyChanges(source, target, { since, now });
  if (isWhole) {
    await compareBalances(target, { partnerId, accounts, before: since.accounts });
    return { rows, accounts };
  }
  const again = await copyRows(source, target, { partnerId, since: horizonOf(since) });
  await compareRows(source, target, now);
  return { rows: rows + again.rows, accounts };
}

/** Records once in control the gold granted to a cell with the partner, or taken back from it. */
async function recordGrant(
  sql: AnySql,
  { leaveActId, enterActId, partnerId, fromCell, toCell }: PartnerMove,
  way: "leave" | "enter",
  amount: bigint,
): Promise<void> {
  const actId = way === "leave" ? leaveActId : enterActId;
  const cellId = way === "leave" ? fromCell : toCell;
  await drizzle(sql).insert(cellActs)
    .values({ actId, cellId, partnerId, name: `partner.${way}`, subjectId: actId, amount })
    .onConflictDoNothing();
}

/**
 * Switches the directory to the new cell, with the grants; if that is control's own cell, it becomes the
 * partner's home at once.
 *
 * @param granted the gold that the previous cell had been granted with the partner
 */
async function switchDirectory(
  sql: Transaction,
  move: PartnerMove,
  granted: bigint,
): Promise<void> {
  const { moveId, partnerId, toCell, leaveActId } = move;
  const orm = drizzle(sql);
  const [partner] = await orm.select().from(partners).where(eq(partners.partnerId, partnerId))
    .for("no key update");
  if (partner!.cellId === toCell) return;
  await orm.update(partners).set({ cellId: toCell }).where(eq(partners.partnerId, partnerId));
  await stampRevision(sql, partnerId);
  await sql`select finish_leaving(${leaveActId}::uuid)`;
  if (toCell === MAIN_CELL) {
    await sql`select enter_cell(${moveId}::uuid, ${partnerId}::integer, null)`;
  } else if (granted > 0n) await recordGrant(sql, move, "enter", granted);
  await noteStep(sql, move, "switched");
}

/** Makes the target the partner's home, once it has copied that from control. */
async function enter(
  held: HeldMoves,
  clocks: MoveClocks,
  { moveId, partnerId, enterActId, toCell }: PartnerMove,
): Promise<void> {
  const granted = await drizzle(held.control).select().from(cellActs)
    .where(eq(cellActs.actId, enterActId));
  const actId = granted.length === 0 ? null : enterActId;
  const target = await held.cell(toCell);
  await untilCopied(clocks, toCell, async () => {
    const [row] = await target<{ entered: boolean }[]>`
      select enter_cell(${moveId}::uuid, ${partnerId}::integer, ${actId}::uuid) as entered`;
    return row!.entered;
  });
}

/** Waits until the previous cell knows the act by which the partner left, which its books need. */
async function awaitLeaving(
  { control, source }: Pick<Ends, "control" | "source">,
  clocks: MoveClocks,
  { leaveActId, fromCell }: PartnerMove,
): Promise<void> {
  const isIn = async (sql: AnySql) =>
    await drizzle(sql).$count(cellActs, eq(cellActs.actId, leaveActId)) > 0;
  if (!await isIn(control)) return;
  await untilCopied(clocks, fromCell, () => isIn(source));
}

/** Waits until a cell knows of the move. */
async function untilKnown(
  clocks: MoveClocks,
  cell: AnySql,
  { moveId }: PartnerMove,
  cellId: string,
): Promise<void> {
  const isKnown = () => drizzle(cell).$count(partnerMoves, eq(partnerMoves.moveId, moveId));
  await untilCopied(clocks, cellId, async () => await isKnown() > 0);
}

/** Waits until a cell has copied something from control. */
async function untilCopied(
  { monotonic, pause }: MoveClocks,
  cellId: string,
  isCopied: () => Promise<boolean>,
): Promise<void> {
  const endMs = monotonic() + PATIENCE_MS;
  while (!await isCopied()) {
    if (monotonic() > endMs) throw new Error(`the cell ${cellId} has no copy of the directory yet`);
    await pause(2);
  }
}
