import { ratiosOf, type Spread, spread } from "./statistics.ts";
import type { Goal } from "./goals.ts";

/** A goal and the measured ratio, as `--json` writes it. */
export interface Ratio extends Spread {
  name: string;
  goal: number;
  met: boolean;
}

/**
 * Computes the ratio of two series of figures, round by round, and compares it with its goal.
 *
 * @param above the numerators, one for each round; `below` has the denominators
 * @throws RangeError if the series are empty or differ in length
 */
export function judge(goal: Goal, above: readonly number[], below: readonly number[]): Ratio {
  const found = spread(ratiosOf(above, below));
  return { name: goal.name, ...found, goal: goal.bound, met: isMet(goal, found.median) };
}

function isMet(goal: Goal, figure: number): boolean {
  return goal.direction === "at least" ? figure >= goal.bound : figure <= goal.bound;
}
