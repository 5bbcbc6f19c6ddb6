import type { ReservedSql } from "@sabika/database";
import {
  endWithProcess,
  HeldElsewhere,
  type HeldMoves,
  holdMoves,
  type MovingPlace,
} from "./hold_moves.ts";
import { type MoveClocks, movePartner } from "./move_partner.ts";
import { findOpenMove, listOpenMoves, type OpenMove } from "./moves.ts";

/** What moves are resumed with. */
export interface ResumingPlace extends MovingPlace, MoveClocks {
  /** Called when a move cannot go on, once for each reason; it is tried again every time. */
  readonly onFailed: (move: OpenMove, error: unknown) => void;
}

/** The lock of the one process that resumes moves. */
const LEADER = 7324;
/** Copying is work for two cells, and its partner trades on; whoever has left waits for nobody. */
const COPIES_AT_ONCE = 2;

/**
 * Makes what goes on with moves whose mover died (Decision D114): of all processes that look, one does.
 * A move that somebody carries out is left alone.
 */
export function createMoveKeeper(place: ResumingPlace) {
  const underWay = new Map<string, { move: OpenMove; done: Promise<void> }>();
  const reasons = new Map<string, string>();
  const holding = new Set<HeldMoves>();
  let leader: ReservedSql | undefined;
  let isStopped = false;

  async function isLeader(): Promise<boolean> {
    try {
      if (leader === undefined) {
        leader = await place.control.sql.reserve();
        await endWithProcess(leader);
      }
      const [row] = await leader<{ isOurs: boolean }[]>`
        select exists (select from pg_locks where locktype = 'advisory' and granted
          and classid = 0 and objid = ${LEADER}::integer and pid = pg_backend_pid())
          or pg_try_advisory_lock(${LEADER}) as "isOurs"`;
      return row!.isOurs;
    } catch (error) {
      leader?.end();
      leader = undefined;
      throw error;
    }
  }

  /** Goes on with a move until its end, by the act that recorded it. */
  async function resume(move: OpenMove): Promise<void> {
    let held: HeldMoves | undefined;
    try {
      held = await holdMoves(place, move.partnerId);
      holding.add(held);
      // Read again under the lock: it may have ended meanwhile.
      const now = await findOpenMove(held.control, move.partnerId);
      if (now !== undefined) await movePartner(held, place, now);
      reasons.delete(move.moveId);
    } catch (error) {
      const isNew = reasons.get(move.moveId) !== String(error);
      if (isStopped || error instanceof HeldElsewhere) return;
      reasons.set(move.moveId, String(error));
      if (isNew) place.onFailed(move, error);
    } finally {
      if (held !== undefined) {
        holding.delete(held);
        held.end();
      }
      underWay.delete(move.moveId);
    }
  }

  return {
    /** Looks for moves that nobody carries out, and goes on with them; does not wait for their end. */
    async look(): Promise<void> {
      if (!await isLeader()) return;
      const left = (await listOpenMoves(leader!)).filter(({ moveId, isHeld }) =>
        !isHeld && !underWay.has(moveId)
      );
      for (const move of left) {
        const copying = [...underWay.values()].filter(({ move }) => move.step === "copying");
        if (move.step === "copying" && copying.length >= COPIES_AT_ONCE) continue;
        underWay.set(move.moveId, { move, done: resume(move) });
      }
    },
    /** Leaves the moves under way to another process. */
    async stop(): Promise<void> {
      isStopped = true;
      leader?.end();
      for (const held of holding) held.end();
      await Promise.all(Array.from(underWay.values(), ({ done }) => done));
    },
  };
}
