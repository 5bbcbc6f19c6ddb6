import process from "node:process";

/**
 * Returns `short`, a size for the gate, or with `npm run faults -- --long` the size `long` of the catalogue
 * of faults. That command runs the test files that import this.
 */
export function sized(short: number, long: number): number {
  return process.env.SABIKA_TEST_LONG === "1" ? long : short;
}
