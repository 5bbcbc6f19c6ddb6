import { again, type Fault, type FaultChance } from "./fault.ts";
import type { StackWorld } from "../stack_world.ts";

/** An instance whose clock differs by more refuses all requests (Decision D12). */
const LIMIT_SECONDS = 1;
const STEP_EVERY_MS = 1_200;

const serverOf = ({ stack }: StackWorld, { pick }: FaultChance): string =>
  pick(stack.instances())?.name ?? "server-1";

function setApart(nameOf: (world: StackWorld, chance: FaultChance) => string): Fault {
  return async (world, chance) => {
    const name = nameOf(world, chance);
    const seconds = LIMIT_SECONDS + 1 + chance.below(600);
    await world.clocks?.set(name, chance.below(2) === 0 ? seconds : -seconds);
    return () => world.clocks!.set(name, 0);
  };
}

/** Clocks that differ from the database's, or are stepped again and again. */
export const CLOCK_FAULTS: Readonly<Record<string, Fault>> = {
  "clock of a server apart": setApart(serverOf),
  "clock of the delivery apart": setApart(() => "delivery"),
  async "clock of a server stepped"(world, chance) {
    const name = serverOf(world, chance);
    const end = again(STEP_EVERY_MS, async () => {
      const steps = chance.below(5) - 2;
      await world.clocks?.set(name, steps * LIMIT_SECONDS * 0.6);
    });
    return async () => {
      await end();
      await world.clocks?.set(name, 0);
    };
  },
};
