import { setTimeout as pause } from "node:timers/promises";
import { beginMove, holdMoves, MOVE_STEPS, movePartner } from "@sabika/service/moving";
import { until } from "../../support/until.ts";
import { placesOf } from "../places.ts";
import type { StackWorld } from "../stack_world.ts";
import type { Fault, FaultChance } from "./fault.ts";

/** Draws a partner and another cell to which it moves; control's own cell counts as one. */
export function drawMove(world: StackWorld, { pick }: FaultChance) {
  const { partnerId, partner: { clientId } } = pick([...world.rich, world.poor]);
  const home = world.homes.get(partnerId)!;
  const to = pick(placesOf(world).filter(({ name }) => name !== home));
  const { name: toCell } = to;
  /** Waits until the office has ended a move that was recorded, and runs the command if none was. */
  const move = async () => {
    const { sql } = world.control.database;
    await until(
      async () =>
        (await sql`select from partner_moves
          where partner_id = ${partnerId} and ended_at is null`).length === 0,
      60_000,
      "the office ends the move",
    );
    const there = await sql`
      select from partners where partner_id = ${partnerId} and cell_id = ${toCell}`;
    if (there.length === 0) await world.operator("partner", "move", clientId, "--to", toCell);
    world.homes.set(partnerId, toCell);
  };
  const ends = placesOf(world).filter((place) => place === to || place.name === home);
  return { partnerId, clientId, toCell, ends, move };
}

/** Partners that move while they trade, and moves that are interrupted, which the office ends. */
export const MOVE_FAULTS: Readonly<Record<string, Fault>> = {
  async "move a partner"(world, chance) {
    const { partnerId, move } = drawMove(world, chance);
    chance.concerns([partnerId]);
    try {
      await move();
    } catch {
      // Another fault has interrupted the move.
      return move;
    }
  },
  async "break off the move of a partner"(world, chance) {
    const { partnerId, clientId, toCell, move } = drawMove(world, chance);
    chance.concerns([partnerId]);
    const lastStep = chance.pick(MOVE_STEPS);
    const begun = await beginMove(world.admin, { clientId, toCell });
    if (!begun.ok) throw new Error(`${begun.code} ${begun.detail}`);
    const databaseOf = (cell: string) =>
      placesOf(world).find(({ name }) => name === cell)!.database;
    const held = await holdMoves({
      control: world.control.database,
      databaseOf: (cell) => Promise.resolve(databaseOf(cell)),
    }, partnerId).catch(() => undefined);
    // The office was quicker.
    if (held === undefined) return move;
    await movePartner(held, {
      now: Date.now,
      monotonic: () => performance.now(),
      pause: (ms) => pause(ms),
      onStep(step) {
        if (step === lastStep) throw new Error(`broken off before ${step}`);
      },
    }, begun.value).catch(() => {});
    held.end();
    return move;
  },
};
