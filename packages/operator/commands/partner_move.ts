import { setTimeout as pause } from "node:timers/promises";
import type { PartnerMove } from "@sabika/service/moving";
import { confirm } from "../command/ask.ts";
import { command, neededFlag } from "../command/command.ts";
import { text } from "../command/parsers.ts";
import type { Session } from "../connect/session.ts";
import { RefusedError } from "../outcome.ts";
import { ID } from "./arguments.ts";

/** `sabika partner move`: moves a partner to another cell while it trades (Decision D53). */
export const partnerMove = command<{ to: string }, [string]>({
  brief: "Move a partner to another cell while it trades",
  more:
    "Its orders wait for a moment at the end. When the command was broken off, it is given again\n" +
    "and goes on from where it was; partner show says how far a move has come.",
  examples: ["partner move bank-one --to b"],
  flags: {
    to: neededFlag(text, "The cell that it moves to", "NAME", {
      question: "Which cell does it move to?",
    }),
  },
  args: [ID],
  async run(session, { to }, id) {
    const { findOpenMoveOf } = await import("@sabika/service/moving");
    const { sql } = await session.database();
    const open = await findOpenMoveOf(sql, id);
    if (open !== undefined && open.toCell !== to) {
      throw new RefusedError(
        "invalid_state",
        `${id} is being moved to ${open.toCell}: end that first`,
      );
    }
    const move = open ?? await begin(session, id, to);
    const { rows, fencedMs } = await carryOut(session, move);
    const waited = fencedMs === undefined ? null : Math.round(fencedMs);
    return {
      json: { client_id: id, from: move.fromCell, to, rows, fenced_ms: waited },
      text: `${id} is in the cell ${to}` +
        (waited === null ? "\n" : `; its orders waited for ${waited} ms\n`),
    };
  },
});

async function begin(session: Session, partner: string, cell: string): Promise<PartnerMove> {
  const { beginMove } = await import("@sabika/service/moving");
  const here = await session.atDatabase();
  // Opened first, so that no move is recorded that could not begin.
  await here.databaseOf(cell);
  await confirm(session, `Move ${partner} to the cell ${cell}?`);
  const admin = await here.peopleContext();
  return await session.actWith(
    admin,
    ["partner.move", { partner, cell }],
    (within) => beginMove(within, { clientId: partner, toCell: cell }),
  );
}

async function carryOut(session: Session, move: PartnerMove) {
  const { movePartner } = await import("@sabika/service/moving");
  const here = await session.atDatabase();
  return await movePartner({
    control: await here.database(),
    source: await here.databaseOf(move.fromCell),
    target: await here.databaseOf(move.toCell),
    now: () => session.nowMs,
    monotonic: () => performance.now(),
    pause: (ms) => pause(ms),
  }, move);
}
