import type { Log } from "@sabika/server";

/** The clock, the source of random bytes and the log of a sandbox or a stack. */
export interface Surroundings {
  /** Epoch milliseconds. */
  now: () => number;
  random: (length: number) => Uint8Array;
  log?: Log;
}
