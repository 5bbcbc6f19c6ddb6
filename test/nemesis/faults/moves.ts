import { setTimeout as pause } from "node:timers/promises";
import { beginMove, MOVE_STEPS, movePartner } from "@sabika/service/moving";
import { placesOf } from "../places.ts";
import type { StackWorld } from "../stack_world.ts";
import type { Fault, FaultChance } from "./fault.ts";

/** Draws a partner and another cell to which it moves; control's own cell counts as one. */
export function drawMove(world: StackWorld, { pick }: FaultChance) {
  const { partnerId, partner: { clientId } } = pick([...world.rich, world.poor]);
  const home = world.homes.get(partnerId)!;
  const to = pick(placesOf(world).filter(({ name }) => name !== home));
  const { name: toCell } = to;
  /** Runs the command, unless the move has ended. */
  const move = async () => {
    const ended = await world.control.database.sql`
      select from partners p where partner_id = ${partnerId} and cell_id = ${toCell}
        and not exists (select from partner_moves m
          where m.partner_id = p.partner_id and m.ended_at is null)`;
    if (ended.length === 0) await world.operator("partner", "move", clientId, "--to", toCell);
    world.homes.set(partnerId, toCell);
  };
  const ends = placesOf(world).filter((place) => place === to || place.name === home);
  return { partnerId, clientId, toCell, ends, move };
}

/** Partners that move while they trade, and moves that are interrupted and continued. */
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
    const { fromCell } = begun.value;
    await movePartner({
      control: world.control.database,
      source: databaseOf(fromCell),
      target: databaseOf(toCell),
      now: Date.now,
      monotonic: () => performance.now(),
      pause: (ms) => pause(ms),
      onStep(step) {
        if (step === lastStep) throw new Error(`broken off before ${step}`);
      },
    }, begun.value).catch(() => {});
    return move;
  },
};
