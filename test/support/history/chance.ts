import process from "node:process";
import { seeded } from "../seeded.ts";

/** Random choices that a seed repeats. */
export interface Chance {
  /** 0 ≤ x < 1. */
  fraction(): number;
  /** A whole number, 0 ≤ n < below. */
  below(below: number): number;
  pick<T>(from: readonly T[]): T;
}

/** Makes the random choices of a seed. */
export function chanceOf(seed: number): Chance {
  const fraction = seeded(seed);
  const below = (limit: number) => Math.floor(fraction() * limit);
  return { fraction, below, pick: (from) => from[below(from.length)]! };
}

/** Takes the seed from `SABIKA_FAULT_SEED` or draws one, and prints it so that a run can be repeated. */
export function drawSeed(): number {
  const wanted = process.env["SABIKA_FAULT_SEED"];
  const seed = wanted === undefined
    ? crypto.getRandomValues(new Uint32Array(1))[0]!
    : Number(wanted);
  process.stderr.write(`SABIKA_FAULT_SEED=${seed}\n`);
  return seed;
}
