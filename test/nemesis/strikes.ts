import { seeded } from "../support/seeded.ts";
import type { Bank } from "./bank.ts";
import { DATABASE_FAULTS } from "./faults/database.ts";
import type { Fault } from "./faults/fault.ts";
import { LINK_FAULTS } from "./faults/links.ts";
import { PROCESS_FAULTS } from "./faults/processes.ts";
import { SURROUNDING_FAULTS } from "./faults/surroundings.ts";
import { untilWhole } from "./recovery.ts";
import type { Strike } from "./schedule.ts";
import type { StackWorld } from "./stack_world.ts";

/** A fault that has been and gone. */
export interface Struck {
  readonly strike: Strike;
  /** From the end of the fault until service was whole; undefined: longer than was waited. */
  readonly recoveredMs: number | undefined;
  /** Why it could not be brought about as it was meant, if so. */
  readonly trouble: string;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  ...PROCESS_FAULTS,
  ...DATABASE_FAULTS,
  ...LINK_FAULTS,
  ...SURROUNDING_FAULTS,
};

/** The kinds of faults that can be had in a world, in their order. */
export function kindsIn({ disk }: Pick<StackWorld, "disk">): string[] {
  return Object.keys(FAULTS).filter((kind) => kind !== "disk full" || disk !== undefined);
}

/** What an operator does takes its own time, and needs a stack that is whole. */
export const PAIRABLE: ReadonlySet<string> = new Set(
  Object.keys(FAULTS).filter((kind) => !/rolling|rotation|exhausted/.test(kind)),
);

/** How much longer than the promise is waited before a run is given up. */
const PATIENCE_MS = 120_000;

/** Brings one fault about, or two at once, ends it, and waits until service is whole again. */
export async function bringAbout(
  world: StackWorld,
  prober: Bank,
  strike: Strike,
  { now, signal }: { now: () => number; signal: AbortSignal },
): Promise<Struck> {
  const fraction = seeded(strike.seed);
  const below = (limit: number) => Math.floor(fraction() * limit);
  const chance = { below, pick: <T>(from: readonly T[]): T => from[below(from.length)]! };
  const troubles: string[] = [];
  const heals = await Promise.all(strike.names.map(async (name) => {
    try {
      return await FAULTS[name]!(world, chance);
    } catch (error) {
      troubles.push(`${name}: ${(error as Error).message.split("\n")[0]}`);
      return undefined;
    }
  }));
  try {
    if (heals.some((heal) => heal !== undefined)) await pauseUnless(signal, strike.holdMs);
  } finally {
    for (const heal of heals) {
      await heal?.().catch((error: Error) => troubles.push(error.message.split("\n")[0]!));
    }
  }
  const recoveredMs = await untilWhole(world, prober, { now, signal, patienceMs: PATIENCE_MS });
  return { strike, recoveredMs, trouble: troubles.join("; ") };
}

function pauseUnless(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
