import type { Place } from "../places.ts";
import type { StackWorld } from "../stack_world.ts";
import type { Fault, FaultChance, Heal } from "./fault.ts";

/** Begins a fault of one database; as a {@linkcode Fault}. */
export type PlaceFault = (place: Place, chance: FaultChance) => Promise<Heal | void>;

/** How the names of faults of a cell end. */
const OF_A_CELL = " of a cell";
/** The faults that need cells, by their names. */
export const OF_CELLS = /( of a cell$| a partner$)/;

/** A cell by chance, whose partners alone may notice what befalls it. */
export function pickCell({ cells, homes }: StackWorld, { pick, concerns }: FaultChance): Place {
  const cell = pick(cells);
  concerns([...homes].filter(([, home]) => home === cell.name).map(([partner]) => partner));
  return cell;
}

/** Faults of control's database, and the same of a cell's. */
export function inPlaces(faults: Readonly<Record<string, PlaceFault>>): Record<string, Fault> {
  return Object.fromEntries(
    Object.entries(faults).flatMap(([name, begin]): [string, Fault][] => [
      [name, (world, chance) => begin(world.control, chance)],
      [name + OF_A_CELL, (world, chance) => begin(pickCell(world, chance), chance)],
    ]),
  );
}
