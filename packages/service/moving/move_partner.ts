import { eq } from "drizzle-orm";
import { type AnySql, type Database, drizzle, type Transaction } from "@sabika/database";
import { stampRevision } from "../audit/change.ts";
import { cellActs } from "../booking/tables.ts";
import { MAIN_CELL } from "../cells/cells.ts";
import { partners } from "../partners/tables.ts";
import { compareBalances, compareRows } from "./compare_rows.ts";
import { copyChanges, horizonOf, type Mark, readMark } from "./copy_changes.ts";
import { copyRows } from "./copy_rows.ts";
import { endMove, noteStep, type PartnerMove } from "./moves.ts";
import { partnerMoves } from "./tables.ts";

/** Where a move is carried out. */
export interface MovePlace {
  readonly control: Database;
  /** The cells that the partner leaves and enters; `control` for the cell `main`. */
  readonly source: Database;
  readonly target: Database;
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
 * Carries out a move that control has recorded, or continues an interrupted one. While rows are copied,
 * the partner trades on. Then its accounts row is locked in the source, the rest is copied and compared,
 * and the row is deleted there: until that commits the source is its home, and afterwards it has none
 * until the target is told, so it never has two. Transactions that waited for the row get `moved`, and
 * find the partner by the register.
 *
 * @throws Error when it cannot continue now; the move can be resumed where it stopped
 */
export async function movePartner(place: MovePlace, move: PartnerMove): Promise<Moved> {
  const { control, source, now, onStep = () => {} } = place;
  const { partnerId, moveId, fromCell, toCell, enterActId } = move;
  let rows = 0;
  let heldAtMs: number | undefined;
  for (const [cellId, { sql }] of [[fromCell, source], [toCell, place.target]] as const) {
    const isKnown = () => drizzle(sql).$count(partnerMoves, eq(partnerMoves.moveId, moveId));
    await untilCopied(place, cellId, async () => await isKnown() > 0);
  }
  if (move.step !== "switched" && !await hasLeft(source, moveId)) {
    await onStep("copy");
    await noteStep(control.sql, move, "copying");
    const copied = await copyWhileTrading(place, partnerId);
    await onStep("fence");
    await noteStep(control.sql, move, "fencing");
    heldAtMs = place.monotonic();
    rows = copied.rows + await fence(place, move, copied.mark);
  }
  await onStep("switch");
  if (move.step !== "switched") {
    await control.sql.begin((sql) => switchDirectory(sql, move, source));
  }
  await onStep("enter");
  const isMain = toCell === MAIN_CELL;
  if (!isMain) await enter(place, move);
  const fencedMs = heldAtMs === undefined ? undefined : place.monotonic() - heldAtMs;
  await onStep("clear");
  await awaitLeaving(place, move);
  if (!isMain) await control.sql`select finish_act(${enterActId}::uuid, 'booked')`;
  await source.sql`select clear_after_move(${moveId}::uuid, ${partnerId}::integer)`;
  await onStep("end");
  await endMove(control.sql, move, "done", now());
  return { rows, fencedMs };
}

async function hasLeft({ sql }: Database, moveId: string): Promise<boolean> {
  const found = await sql`
    select from move_ends where move_id = ${moveId}::uuid and side = 'left'`;
  return found.length === 1;
}

/**
 * Copies until few rows are new, and compares everything copied.
 *
 * @returns how many rows were copied, and the mark up to which they were compared
 */
async function copyWhileTrading(
  { source, target }: MovePlace,
  partnerId: number,
): Promise<{ rows: number; mark: Mark }> {
  const first = await source.sql.begin((sql) => copyRows(sql, target.sql, { partnerId }));
  let rows = first.rows;
  const compareAll = (horizon: string) =>
    source.sql.begin(ONE_SNAPSHOT, async (sql) => {
      const now = await readMark(sql, partnerId);
      rows += (await copyRows(sql, target.sql, { partnerId, since: horizon })).rows;
      await compareRows(sql, target.sql, now);
      return now;
    });
  let mark = await compareAll(first.horizon);
  for (let n = 1, isMuch = true; n <= MOST_PASSES && isMuch; n++) {
    const [changes, now] = await source.sql.begin(ONE_SNAPSHOT, async (sql) => {
      const now = await readMark(sql, partnerId);
      return [await copyChanges(sql, target.sql, { since: mark, now }), now] as const;
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
async function fence(place: MovePlace, move: PartnerMove, since: Mark): Promise<number> {
  const { control, source, target, onStep = () => {} } = place;
  const { partnerId, moveId, fromCell } = move;
  return await source.sql.begin(async (sql) => {
    await sql.unsafe(`set local lock_timeout = '5s';
      set local idle_in_transaction_session_timeout = '10s'`);
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
    await target.sql`select await_partner(${moveId}::uuid, ${partnerId}::integer, ${accounts},
      ${ownLane.lane})`;
    const leaveActId = fromCell === MAIN_CELL || ownLane.granted === 0n ? null : move.leaveActId;
    if (leaveActId !== null) await recordGrant(control.sql, move, "leave", ownLane.granted);
    await onStep("leave");
    await sql`select leave_cell(${moveId}::uuid, ${partnerId}::integer, ${leaveActId}::uuid)`;
    // Control's own books lose the partner and gain a grant to another cell in one transaction.
    if (fromCell === MAIN_CELL) await switchDirectory(sql, move, undefined);
    return rows;
  });
}

/** Copies and compares what is new since the mark, or everything if something was not found. */
async function copyRest(
  source: Transaction,
  target: Database,
  since: Mark,
): Promise<{ rows: number; accounts: string }> {
  const { partnerId } = since;
  const now = await readMark(source, partnerId);
  const { accounts } = now;
  const { rows, isWhole } = await copyChanges(source, target.sql, { since, now });
  if (isWhole) {
    await compareBalances(target.sql, { partnerId, accounts, before: since.accounts });
    return { rows, accounts };
  }
  const again = await copyRows(source, target.sql, { partnerId, since: horizonOf(since) });
  await compareRows(source, target.sql, now);
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
 * @param source where the partner has left; undefined if it leaves in this transaction
 */
async function switchDirectory(
  sql: Transaction,
  move: PartnerMove,
  source: Database | undefined,
): Promise<void> {
  const { moveId, partnerId, toCell, leaveActId } = move;
  const orm = drizzle(sql);
  const [partner] = await orm.select().from(partners).where(eq(partners.partnerId, partnerId))
    .for("no key update");
  if (partner!.cellId === toCell) return;
  const [left] = await (source?.sql ?? sql)<{ granted: bigint }[]>`
    select -(e.accounts::accounts).vault_micrograms as granted from move_ends e
    where move_id = ${moveId}::uuid and side = 'left'`;
  await orm.update(partners).set({ cellId: toCell }).where(eq(partners.partnerId, partnerId));
  await stampRevision(sql, partnerId);
  await sql`select finish_leaving(${leaveActId}::uuid)`;
  if (toCell === MAIN_CELL) {
    await sql`select enter_cell(${moveId}::uuid, ${partnerId}::integer, null)`;
  } else if (left!.granted > 0n) await recordGrant(sql, move, "enter", left!.granted);
  await noteStep(sql, move, "switched");
}

/** Makes the target the partner's home, once it has copied that from control. */
async function enter(
  place: MovePlace,
  { moveId, partnerId, enterActId, toCell }: PartnerMove,
): Promise<void> {
  const { control, target } = place;
  const granted = await drizzle(control.sql).select().from(cellActs)
    .where(eq(cellActs.actId, enterActId));
  const actId = granted.length === 0 ? null : enterActId;
  await untilCopied(place, toCell, async () => {
    const [row] = await target.sql<{ entered: boolean }[]>`
      select enter_cell(${moveId}::uuid, ${partnerId}::integer, ${actId}::uuid) as entered`;
    return row!.entered;
  });
}

/** Waits until the previous cell knows the act by which the partner left, which its books need. */
async function awaitLeaving(
  place: MovePlace,
  { leaveActId, fromCell }: PartnerMove,
): Promise<void> {
  const isIn = async ({ sql }: Database) =>
    await drizzle(sql).$count(cellActs, eq(cellActs.actId, leaveActId)) > 0;
  if (!await isIn(place.control)) return;
  await untilCopied(place, fromCell, () => isIn(place.source));
}

/** Waits until a cell has copied something from control. */
async function untilCopied(
  { monotonic, pause }: Pick<MovePlace, "monotonic" | "pause">,
  cellId: string,
  isCopied: () => Promise<boolean>,
): Promise<void> {
  const endMs = monotonic() + PATIENCE_MS;
  while (!await isCopied()) {
    if (monotonic() > endMs) throw new Error(`the cell ${cellId} has no copy of the directory yet`);
    await pause(2);
  }
}
