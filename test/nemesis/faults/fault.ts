import { setTimeout as pause } from "node:timers/promises";
import type { Chance } from "../../support/history/chance.ts";
import type { StackWorld } from "../stack_world.ts";

/** The random choices of a fault, drawn from its seed. */
export interface FaultChance extends Chance {
  /** Declares the only partners that may notice the fault; without a call all partners may. */
  concerns(partners: Iterable<number>): void;
}

/** Ends a fault; called again if it rejects. */
export type Heal = () => Promise<unknown>;

/**
 * Begins a fault.
 *
 * @returns a function that ends the fault; undefined if the fault ends by itself
 */
export type Fault = (world: StackWorld, chance: FaultChance) => Promise<Heal | void>;

/** Calls `body` repeatedly until the returned function is called; failures are ignored. */
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
