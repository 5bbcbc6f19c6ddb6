import process from "node:process";

/**
 * What the gate has time for, or with `npm run faults -- --long` the size that the catalogue of faults
 * asks for. A test file that imports this is among those that this command runs.
 */
export function sized(short: number, long: number): number {
  return process.env.SABIKA_TEST_LONG === "1" ? long : short;
}
