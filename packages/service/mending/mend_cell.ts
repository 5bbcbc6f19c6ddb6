import { and, desc, eq, sql as expression } from "drizzle-orm";
import {
  type AnySql,
  type Database,
  drizzle,
  plainArray,
  type Transaction,
} from "@sabika/database";
import type { AdminOutcome } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction } from "../audit/change.ts";
import { bookAct } from "../booking/book_act.ts";
import { cellActs } from "../booking/tables.ts";
import { accounts } from "../ledger/tables.ts";
import { enterAgain } from "../moving/enter_again.ts";
import { moveEnds, partnerMoves } from "../moving/tables.ts";
import { partners } from "../partners/tables.ts";
import { type CellDifference, summariseDifferences } from "./compare_cell.ts";

/** The cell that is mended, and what mending needs. */
export interface MendedCell {
  readonly control: Database;
  readonly cell: Database;
  readonly cellId: string;
  /** The database of another cell, or of control: where a partner came from. */
  databaseOf(cellId: string): Promise<Database>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
}

/** What was done about a difference. */
export interface Mended extends CellDifference {
  /**
   * `removed`: the partner is at home elsewhere; `opened`: it got accounts; `entered`: it came again as
   * it was when it left its previous cell; `noted`: there was nothing else to do; or an act's result.
   */
  readonly outcome: string;
}

/** Records in the audit log that a cell is being mended, with the number of differences. */
export function recordMending(
  admin: AdminContext,
  cellId: string,
  differences: readonly CellDifference[],
): Promise<AdminOutcome<null>> {
  return inTransaction(admin, async (sql) => {
    const detail = { cell: cellId, differences: summariseDifferences(differences) };
    await writeAudit(sql, admin, "cell.mend", null, detail);
    return { ok: true, value: null };
  });
}

/**
 * Brings a cell that was restored to an earlier time up to what control knows (Decision D53), partner by
 * partner, repeating each step at most once in its original order: acts are booked again under their
 * ids, partners at home elsewhere leave, and those from another cell enter as they left it. The cell's
 * copies of control's rows must be right before. When interrupted, run it again with what differs then.
 *
 * @throws Error when a partner is being moved, or is at home here after coming back
 */
export async function mendCell(
  mended: MendedCell,
  differences: readonly CellDifference[],
): Promise<Mended[]> {
  const partnerIds = [...new Set(differences.map(({ partnerId }) => partnerId))];
  const done: Mended[] = [];
  for (const partnerId of partnerIds) {
    const ofPartner = differences.filter((difference) => difference.partnerId === partnerId);
    for (const step of await inTheirOrder(mended, ofPartner)) {
      const outcome = await step.run();
      if (outcome !== undefined) done.push({ ...step.difference, outcome });
    }
  }
  return done;
}

/** What is done about a difference, and when it happened first. */
interface Step {
  readonly difference: CellDifference;
  readonly atMs: number;
  /** Resolves to undefined when another step does it. */
  run(): Promise<string | undefined>;
}

async function inTheirOrder(
  mended: MendedCell,
  differences: readonly CellDifference[],
): Promise<Step[]> {
  const orm = drizzle(mended.control.sql);
  const ids = plainArray(differences.flatMap(({ id }) => id ?? []));
  const [acts, moves] = await Promise.all([
    orm.select().from(cellActs).where(expression`${cellActs.actId} = any(${ids}::uuid[])`),
    orm.select().from(partnerMoves).where(expression`${partnerMoves.moveId} = any(${ids}::uuid[])`),
  ]);
  const actOf = new Map(acts.map((act) => [act.actId, act]));
  const moveOf = new Map(moves.map((move) => [move.moveId, move]));
  const steps = differences.map((difference): Step => {
    const { kind, partnerId, id } = difference;
    const act = actOf.get(id ?? "");
    if (act !== undefined) {
      return { difference, atMs: act.recordedAt, run: () => bookAgain(mended, act) };
    }
    const move = moveOf.get(id ?? "");
    if (move !== undefined) {
      const run = () => move.fromCell === mended.cellId ? leave(mended, move) : enter(mended, move);
      return { difference, atMs: move.begunAt, run };
    }
    // A partner that came by a move enters in the step of that move.
    const run = async () =>
      kind === "missing" && partnerId !== null ? await openNew(mended, partnerId) : undefined;
    return { difference, atMs: 0, run };
  });
  return steps.sort((a, b) => a.atMs - b.atMs);
}

const isHome = async ({ cell }: MendedCell, partnerId: number) =>
  await drizzle(cell.sql).$count(accounts, eq(accounts.partnerId, partnerId)) > 0;

type Act = typeof cellActs.$inferSelect;
type Move = typeof partnerMoves.$inferSelect;

async function bookAgain(mended: MendedCell, act: Act): Promise<string | undefined> {
  // Booked by the steps of their moves.
  if (/^partner\.(leave|enter)$/.test(act.name)) return undefined;
  const { control, cell, now, random } = mended;
  const booked = await bookAct({ control, cell }, act, { nowMs: now(), random });
  if (booked !== undefined) return booked;
  await cell.sql`select recall_act(${act.actId}::uuid, ${act.result})`;
  return "noted";
}

async function leave(mended: MendedCell, move: Move): Promise<string> {
  const { moveId, partnerId, leaveActId } = move;
  return await whileSettled(mended, move, async ({ sql, last }) => {
    if (!await isHome(mended, partnerId)) return await recall(mended, move, "left");
    const hasCome = last.toCell === mended.cellId &&
      await drizzle(mended.cell.sql).$count(moveEnds, isEnd(last.moveId, "entered")) > 0;
    // Leaving now would remove it for good: no step would bring it back.
    if (hasCome) throw new Error(`partner ${partnerId} came back, and is at home here`);
    const actId = await knownAct(sql, leaveActId);
    await mended.cell.sql`
      select leave_cell(${moveId}::uuid, ${partnerId}::integer, ${actId}::uuid)`;
    return "removed";
  });
}

async function enter(mended: MendedCell, move: Move): Promise<string> {
  const { moveId, partnerId, enterActId } = move;
  return await whileSettled(mended, move, async ({ sql, last }) => {
    if (last.moveId !== moveId) return await recall(mended, move, "entered");
    const source = await mended.databaseOf(move.fromCell);
    const actId = await knownAct(sql, enterActId);
    await enterAgain({ source, target: mended.cell }, { moveId, partnerId, actId });
    return "entered";
  });
}

const isEnd = (moveId: string, side: "entered") =>
  and(eq(moveEnds.moveId, moveId), eq(moveEnds.side, side));

/** Runs `body` while no move of the partner can begin; `last` is the move that brought it here. */
async function whileSettled(
  { control }: MendedCell,
  { partnerId }: Move,
  body: (settled: { sql: Transaction; last: Move }) => Promise<string>,
): Promise<string> {
  return await control.sql.begin(async (sql) => {
    const [partner] = await drizzle(sql).select().from(partners)
      .where(eq(partners.partnerId, partnerId)).for("no key update");
    const last = (await lastMove(sql, partnerId))!;
    if (last.endedAt === null) {
      throw new Error(`${partner!.clientId} is being moved: end that first`);
    }
    return await body({ sql, last });
  });
}

async function lastMove(sql: AnySql, partnerId: number): Promise<Move | undefined> {
  const [move] = await drizzle(sql).select().from(partnerMoves)
    .where(eq(partnerMoves.partnerId, partnerId))
    .orderBy(desc(partnerMoves.begunAt), desc(partnerMoves.moveId)).limit(1);
  return move;
}

/** Notes a move that needs nothing else, since the partner has moved on. */
async function recall(
  { control, cell }: MendedCell,
  { moveId, partnerId, leaveActId, enterActId }: Move,
  side: "left" | "entered",
): Promise<string> {
  const actId = await knownAct(control.sql, side === "left" ? leaveActId : enterActId);
  if (actId !== null) await cell.sql`select recall_act(${actId}::uuid, 'booked')`;
  await cell.sql`select recall_move(${moveId}::uuid, ${partnerId}::integer, ${side})`;
  return "noted";
}

/** The act by which gold was granted with a move; null if there was none. */
async function knownAct(sql: AnySql, actId: string): Promise<string | null> {
  return await drizzle(sql).$count(cellActs, eq(cellActs.actId, actId)) > 0 ? actId : null;
}

/** Opens new accounts for a partner that was admitted here and never moved. */
async function openNew(mended: MendedCell, partnerId: number): Promise<string | undefined> {
  if (await lastMove(mended.control.sql, partnerId) !== undefined) return undefined;
  await mended.cell.sql`select open_accounts(${partnerId}::integer)`;
  return "opened";
}
