import { assertRejects } from "@std/assert";
import { runFuzz } from "./fuzz.ts";

/** The seed of a schedule, from an input of the fuzz runner. */
export const seedOf = (input: Uint8Array): number =>
  input.reduce((seed, byte) => Math.imul(seed, 31) + byte | 0, 7);

/** Holds that some schedule finds what is wrong on purpose. */
export async function isFound(run: (seed: number) => Promise<string>): Promise<void> {
  const judge = (input: Uint8Array) => run(seedOf(input));
  await assertRejects(() => runFuzz({ samples: ["a"], judge }, 1, 3_000), Error, "read wrongly");
}
