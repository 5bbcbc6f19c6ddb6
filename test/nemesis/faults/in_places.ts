import type { Place } from "../places.ts";
import type { StackWorld } from "../stack_world.ts";
import type { Fault, FaultChance, Heal } from "./fault.ts";

/** Begins a fault of one database; see {@linkcode Fault}. */
export type PlaceFault = (
  place: Place,
  chance: FaultChance,
  world: StackWorld,
) => Promise<Heal | void>;

/** The suffix of the names of cells' faults. */
const OF_A_CELL = " of a cell";
/** Matches the faults that need cells; only stacks with cells promote by hand. */
export const OF_CELLS = /( of a cell$| a partner$|^promotion)/;

/** Picks a random cell; only its partners may notice the fault. */
export function pickCell(world: StackWorld, { pick, concerns }: FaultChance): Place {
  const cell = pick(world.cells);
  concerns(partnersOf(world, cell));
  return cell;
}

/** Returns the partners whose home is a place. */
export const partnersOf = ({ homes }: StackWorld, { name }: Place): number[] =>
  [...homes].filter(([, home]) => home === name).map(([partner]) => partner);

/** Makes two faults of each: one of control's database and one of a cell's. */
export function inPlaces(faults: Readonly<Record<string, PlaceFault>>): Record<string, Fault> {
  return Object.fromEntries(
    Object.entries(faults).flatMap(([name, begin]): [string, Fault][] => [
      [name, (world, chance) => begin(world.control, chance, world)],
      [name + OF_A_CELL, (world, chance) => begin(pickCell(world, chance), chance, world)],
    ]),
  );
}
