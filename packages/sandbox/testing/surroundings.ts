import type { Surroundings } from "../surroundings.ts";

/** The real clock and the real chance, for tests. */
export const surroundings: Surroundings = {
  now: Date.now,
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
};
