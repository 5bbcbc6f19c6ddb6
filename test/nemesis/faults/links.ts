import { setTimeout as pause } from "node:timers/promises";
import type { Breakable } from "../../support/link.ts";
import type { StackWorld } from "../stack_world.ts";
import { placesOf } from "../places.ts";
import type { Fault, FaultChance } from "./fault.ts";
import { pickCell } from "./in_places.ts";

const ENDS = [
  "callers – Envoy",
  "Envoy – server",
  "servers – database",
  "delivery – receivers",
  "servers – database of a cell" as const,
];
type Ends = typeof ENDS[number];

function linkBetween(world: StackWorld, ends: Ends, chance: FaultChance): Breakable {
  const { links, control } = world;
  if (ends === "callers – Envoy") return links.front;
  if (ends === "servers – database") return control.link;
  if (ends === "delivery – receivers") return links.receivers;
  if (ends === "Envoy – server") return chance.pick(links.servers);
  return pickCell(world, chance).link;
}

/** The disturbances of a link, by name. */
const HARMS: Readonly<Record<string, (link: Breakable, chance: FaultChance) => void>> = {
  cut: (link) => link.cut(),
  silent: (link) => link.freeze(),
  slow: (link, { below }) => link.slow(20 + below(300)),
  "one-way": (link, { pick }) => link.mute(pick(["near", "far"])),
  "half-open": (link, { pick }) => link.halve(pick(["near", "far"])),
};

/** The longest pause between disturbing, or healing, two links. */
const BETWEEN_MS = 400;

/** Disturbs some or all links in turn, each differently, and heals them in another order. */
const swizzled: Fault = async (world, chance) => {
  const { below, pick } = chance;
  const { front, receivers, servers } = world.links;
  const links = [front, receivers, ...servers, ...placesOf(world).map(({ link }) => link)];
  const harmed = shuffled(links, chance).slice(0, 2 + below(links.length - 1));
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

/** The links between each two parts, disturbed one at a time or many at once. */
export const LINK_FAULTS: Readonly<Record<string, Fault>> = Object.fromEntries([
  ...ENDS.flatMap((ends) =>
    Object.entries(HARMS).map(([harm, begin]): [string, Fault] => [
      `${harm} link ${ends}`,
      async (world, chance) => {
        const link = linkBetween(world, ends, chance);
        begin(link, chance);
        return async () => link.heal();
      },
    ])
  ),
  ["swizzled links", swizzled],
]);
