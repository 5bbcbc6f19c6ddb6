import process from "node:process";
import { seeded as seededFraction } from "../support/seeded.ts";

/** Chance that can be had again: the same seed gives the same draws. */
export interface Seeded {
  readonly seed: number;
  /** 0 ≤ x < 1. */
  fraction(): number;
  /** A whole number, 0 ≤ n < below. */
  below(below: number): number;
  pick<T>(from: readonly T[]): T;
}

/**
 * Draws from `SABIKA_FAULT_SEED`, or from a new seed, and prints which.
 *
 * @param name printed beside the seed
 */
export function seeded(name: string): Seeded {
  const given = process.env["SABIKA_FAULT_SEED"];
  const seed = given === undefined ? crypto.getRandomValues(new Uint32Array(1))[0]! : Number(given);
  process.stderr.write(`${name}: SABIKA_FAULT_SEED=${seed}\n`);
  const fraction = seededFraction(seed);
  const below = (limit: number) => Math.floor(fraction() * limit);
  return { seed, fraction, below, pick: (from) => from[below(from.length)]! };
}
