import type { Link } from "../link.ts";
import type { StackWorld } from "../stack_world.ts";
import type { Fault, FaultChance } from "./fault.ts";

const ENDS = [
  ...["callers – Envoy", "Envoy – server", "servers – database", "delivery – receivers"] as const,
];
type Ends = typeof ENDS[number];

function linksBetween({ links }: StackWorld, ends: Ends, { pick }: FaultChance): Link[] {
  if (ends === "callers – Envoy") return [links.front];
  if (ends === "servers – database") return [links.database];
  if (ends === "delivery – receivers") return [links.receivers];
  return [pick(links.servers)];
}

const HARMS: Readonly<Record<string, (link: Link, chance: FaultChance) => void>> = {
  cut: (link) => link.cut(),
  silent: (link) => link.freeze(),
  slow: (link, { below }) => link.slow(20 + below(300)),
};

/** Links between each pair of parts, cut, silent and slow. */
export const LINK_FAULTS: Readonly<Record<string, Fault>> = Object.fromEntries(
  ENDS.flatMap((ends) =>
    Object.entries(HARMS).map(([harm, begin]): [string, Fault] => [
      `${harm} link ${ends}`,
      async (world, chance) => {
        const links = linksBetween(world, ends, chance);
        for (const link of links) begin(link, chance);
        return async () => links.forEach((link) => link.heal());
      },
    ])
  ),
);
