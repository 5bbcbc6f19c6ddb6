import type { Link } from "../link.ts";
import type { StackWorld } from "../stack_world.ts";
import type { Fault, FaultChance } from "./fault.ts";

type Ends = "callers – Envoy" | "Envoy – server" | "servers – database";

function linksBetween({ links }: StackWorld, ends: Ends, { pick }: FaultChance): Link[] {
  if (ends === "callers – Envoy") return [links.front];
  if (ends === "servers – database") return [links.database];
  return [pick(links.servers)];
}

const HARMS: Readonly<Record<string, (link: Link, chance: FaultChance) => void>> = {
  cut: (link) => link.cut(),
  silent: (link) => link.freeze(),
  slow: (link, { below }) => link.slow(20 + below(300)),
};
const ENDS: readonly Ends[] = ["callers – Envoy", "Envoy – server", "servers – database"];

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
