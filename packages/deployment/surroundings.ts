import type { Log } from "@sabika/server";

/** What a sandbox or a stack takes from outside. */
export interface Surroundings {
  /** Epoch milliseconds. */
  now: () => number;
  random: (length: number) => Uint8Array;
  log?: Log;
}
