import { setTimeout as pause } from "node:timers/promises";
import type { Chance } from "../../support/history/chance.ts";
import type { StackWorld } from "../stack_world.ts";

/** What a fault draws from its seed. */
export interface FaultChance extends Chance {
  /** Says which partners alone may notice; all may when it is never said. */
  concerns(partners: Iterable<number>): void;
}

/** Ends a fault. It may be called again where it failed. */
export type Heal = () => Promise<unknown>;

/**
 * Begins a fault.
 *
 * @returns ends it; what heals by itself returns nothing
 */
export type Fault = (world: StackWorld, chance: FaultChance) => Promise<Heal | void>;

/** Does something every so often until it is ended; what keeps it from that meanwhile is no matter. */
export function again(everyMs: number, body: () => Promise<unknown>): Heal {
  let isOver = false;
  const done = (async () => {
    for (; !isOver; await pause(everyMs)) await body().catch(() => {});
  })();
  return () => {
    isOver = true;
    return done;
  };
}
