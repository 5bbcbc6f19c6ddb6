import { setTimeout as pause } from "node:timers/promises";
import { compareCell } from "@sabika/service/mending";
import { asSuperuser } from "../../support/as_superuser.ts";
import { readCellStatements, runAll } from "../../support/cell_statements.ts";
import { type Place, placesOf } from "../places.ts";
import type { StackWorld } from "../stack_world.ts";
import type { Fault, FaultChance, Heal } from "./fault.ts";
import { inPlaces, partnersOf, pickCell } from "./in_places.ts";
import { drawMove } from "./moves.ts";

/** The longest time without a primary before the standby is promoted. */
const LONGEST_WITHOUT_MS = 1_000;
/** The longest time between the beginnings of a move and of a promotion. */
const LATEST_IN_MOVE_MS = 700;

/** Loses a primary. If it was control's, the steps of docs/scale.md for cells end the fault. */
async function promote(
  world: StackWorld,
  place: Place,
  { below }: FaultChance,
): Promise<Heal | void> {
  await place.promote!(below(LONGEST_WITHOUT_MS));
  if (place !== world.control) return;
  return () => Promise.all(world.cells.map((cell) => copyOn(world.control, cell)));
}

/** Makes a cell's replication continue after control's standby was promoted. */
async function copyOn({ database: control }: Place, cell: Place): Promise<void> {
  const { name: cellId } = cell;
  await asSuperuser(cell.postgresql, async (sql) => {
    const [subscription] = await sql<{ connection: string }[]>`
      select subconninfo as connection from pg_subscription where subname = 'sabika_partners'`;
    const section = "### When control is promoted";
    const [inControl, inCell] = await readCellStatements(section, { cellId, ...subscription! });
    const kept = await control.sql`
      select from pg_replication_slots where slot_name = ${`sabika_${cellId}`}`;
    if (kept.length === 0) await runAll(control.sql, inControl!);
    const differences = await compareCell({ control: control.sql, cell: sql, cellId, pause });
    if (differences.length > 0) await runAll(sql, inCell!);
  });
}

/** The longest time that a standby lags before it is promoted. */
const LONGEST_LAG_MS = 3_000;

/** The loss of a primary and the promotion of its standby, and standbys that lag. */
export const PROMOTION_FAULTS: Readonly<Record<string, Fault>> = {
  promotion: (world, chance) => promote(world, world.control, chance),
  "promotion of a cell": (world, chance) => promote(world, pickCell(world, chance), chance),
  async "promotion of a lagging standby"(world, chance) {
    const place = chance.pick(placesOf(world));
    if (place !== world.control) chance.concerns(partnersOf(world, place));
    // The promotion ends it.
    await place.lag!();
    await pause(chance.below(LONGEST_LAG_MS));
    return await promote(world, place, chance);
  },
  ...inPlaces({ "lagging standby": ({ lag }) => lag!() }),
  async "promotion during the move of a partner"(world, chance) {
    const { partnerId, ends, move } = drawMove(world, chance);
    const place = chance.pick([world.control, ...ends]);
    if (place !== world.control) chance.concerns([...partnersOf(world, place), partnerId]);
    const moved = move().then(() => true, () => false);
    await pause(chance.below(LATEST_IN_MOVE_MS));
    const heal = await promote(world, place, chance);
    return async () => {
      await heal?.();
      if (!await moved) await move();
    };
  },
};
