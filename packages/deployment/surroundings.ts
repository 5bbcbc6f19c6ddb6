import type { Log } from "@sabika/server";

/** What a sandbox takes from outside itself. */
export interface Surroundings {
  /** Epoch milliseconds. */
  now: () => number;
  random: (length: number) => Uint8Array;
  log?: Log;
}
