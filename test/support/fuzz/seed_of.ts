/** The seed of a schedule, from an input of the fuzz runner. */
export const seedOf = (input: Uint8Array): number =>
  input.reduce((seed, byte) => Math.imul(seed, 31) + byte | 0, 7);
