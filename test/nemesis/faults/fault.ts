import type { StackWorld } from "../stack_world.ts";

/** What a fault draws from its seed. */
export interface FaultChance {
  below(below: number): number;
  pick<T>(from: readonly T[]): T;
}

/**
 * Begins a fault.
 *
 * @returns ends it; what heals by itself returns nothing
 */
export type Fault = (
  world: StackWorld,
  chance: FaultChance,
) => Promise<(() => Promise<unknown>) | void>;
