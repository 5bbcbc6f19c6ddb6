import type { Link } from "../link.ts";
import type { StackWorld } from "../stack_world.ts";
import { pause } from "../../faults/waiting.ts";
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

/** The longest pause between two links that are harmed, or healed. */
const BETWEEN_MS = 400;

/** All links or some, harmed one after the other, each in its own way, and healed in another order. */
const swizzled: Fault = async ({ links }, chance) => {
  const { below, pick } = chance;
  const all = [links.front, links.database, links.receivers, ...links.servers];
  const harmed = shuffled(all, chance).slice(0, 2 + below(all.length - 1));
  for (const link of harmed) {
    HARMS[pick(Object.keys(HARMS))]!(link, chance);
    await pause(below(BETWEEN_MS));
  }
  return async () => {
    for (const link of shuffled(harmed, chance)) {
      link.heal();
      await pause(below(BETWEEN_MS));
    }
  };
};

function shuffled<T>(from: readonly T[], { below }: FaultChance): T[] {
  const left = [...from];
  return from.map(() => left.splice(below(left.length), 1)[0]!);
}

/** Links between each pair of parts, cut, silent and slow; and many of them at once. */
export const LINK_FAULTS: Readonly<Record<string, Fault>> = Object.fromEntries([
  ...ENDS.flatMap((ends) =>
    Object.entries(HARMS).map(([harm, begin]): [string, Fault] => [
      `${harm} link ${ends}`,
      async (world, chance) => {
        const links = linksBetween(world, ends, chance);
        for (const link of links) begin(link, chance);
        return async () => links.forEach((link) => link.heal());
      },
    ])
  ),
  ["swizzled links", swizzled],
]);
