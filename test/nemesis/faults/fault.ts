import { setTimeout as pause } from "node:timers/promises";
import type { Chance } from "../../support/history/chance.ts";
import type { StackWorld } from "../stack_world.ts";

/** The choices of a fault, drawn from its seed. */
export interface FaultChance extends Chance {
  /** Names the only partners that may notice; without a call all may. */
  concerns(partners: Iterable<number>): void;
}

/** Ends a fault; called again when it fails. */
export type Heal = () => Promise<unknown>;

/**
 * Begins a fault.
 *
 * @returns ends the fault; nothing when it heals by itself
 */
export type Fault = (world: StackWorld, chance: FaultChance) => Promise<Heal | void>;

/** Does something again and again until it is ended, whether it succeeds or not. */
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
