import { setTimeout as pause } from "node:timers/promises";
import { confirm } from "../command/ask.ts";
import { command, neededFlag } from "../command/command.ts";
import { text } from "../command/parsers.ts";
import type { Session } from "../connect/session.ts";
import { LaterError, notFound, RefusedError } from "../outcome.ts";
import { ID } from "./arguments.ts";

/** `sabika partner move`: moves a partner to another cell while it trades (Decision D53). */
export const partnerMove = command<{ to: string }, [string]>({
  brief: "Move a partner to another cell while it trades",
  more:
    "Its orders wait for a moment at the end. When the command is broken off, an office goes on with\n" +
    "the move; partner moves says how far it has come.",
  examples: ["partner move bank-one --to b"],
  flags: {
    to: neededFlag(text, "The cell that it moves to", "NAME", {
      question: "Which cell does it move to?",
    }),
  },
  args: [ID],
  async run(session, { to }, id) {
    const { rows, fencedMs, from } = await move(session, id, to);
    const waited = fencedMs === undefined ? null : Math.round(fencedMs);
    return {
      json: { client_id: id, from, to, rows, fenced_ms: waited },
      text: `${id} is in the cell ${to}` +
        (waited === null ? "\n" : `; its orders waited for ${waited} ms\n`),
    };
  },
});

async function move(session: Session, id: string, to: string) {
  const { beginMove, HeldElsewhere, holdMoves, movePartner } = await import(
    "@sabika/service/moving"
  );
  const { findPartner } = await import("@sabika/service/partners");
  const here = await session.atDatabase();
  const control = await here.database();
  const partner = await findPartner(control.sql, id);
  if (partner === undefined) throw notFound(`partner "${id}"`);
  // Opened first, so that no move is recorded that could not begin.
  await here.databaseOf(to);
  await confirm(session, `Move ${id} to the cell ${to}?`);
  const place = { control, databaseOf: (cell: string) => here.databaseOf(cell) };
  // Held before it is recorded, so that no office goes on with it.
  const held = await holdMoves(place, partner.partnerId).catch((error) => {
    if (!(error instanceof HeldElsewhere)) throw error;
    throw new RefusedError(
      "invalid_state",
      `"${id}" is being moved: see sabika partner moves`,
    );
  });
  try {
    const begun = await session.actWith(
      await here.peopleContext(),
      ["partner.move", { partner: id, cell: to }],
      (within) => beginMove(within, { clientId: id, toCell: to }),
    );
    const clocks = {
      now: () => session.nowMs,
      monotonic: () => performance.now(),
      pause: (ms: number) => pause(ms),
    };
    const moved = await movePartner(held, clocks, begun).catch((cause) => {
      throw new LaterError(
        `not done yet: the move is recorded, and the office goes on with it; do not ask again ` +
          `(${(cause as Error).message})`,
      );
    });
    return { ...moved, from: begun.fromCell };
  } finally {
    held.end();
  }
}
