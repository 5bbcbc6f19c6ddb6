import type { Place } from "../places.ts";
import type { StackWorld } from "../stack_world.ts";
import type { Fault, FaultChance, Heal } from "./fault.ts";

/** Begins a fault of one database; as a {@linkcode Fault}. */
export type PlaceFault = (place: Place, chance: FaultChance) => Promise<Heal | void>;

/** How the names of faults of a cell end. */
const OF_A_CELL = " of a cell";
/** The faults that need cells, by their names; without cells there are no standbys. */
export const OF_CELLS = /( of a cell$| a partner$|^promotion)/;

/** A cell by chance, whose partners alone may notice what befalls it. */
export function pickCell(world: StackWorld, { pick, concerns }: FaultChance): Place {
  const cell = pick(world.cells);
  concerns(partnersOf(world, cell));
  return cell;
}

/** Who lives in a place. */
export const partnersOf = ({ homes }: StackWorld, { name }: Place): number[] =>
  [...homes].filter(([, home]) => home === name).map(([partner]) => partner);

/** Faults of control's database, and the same of a cell's. */
export function inPlaces(faults: Readonly<Record<string, PlaceFault>>): Record<string, Fault> {
  return Object.fromEntries(
    Object.entries(faults).flatMap(([name, begin]): [string, Fault][] => [
      [name, (world, chance) => begin(world.control, chance)],
      [name + OF_A_CELL, (world, chance) => begin(pickCell(world, chance), chance)],
    ]),
  );
}
