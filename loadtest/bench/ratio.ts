import { ratiosOf, type Spread, spread } from "./statistics.ts";
import type { Goal } from "./goals.ts";

/** One goal and what became of it, as `--json` writes it. */
export interface Ratio extends Spread {
  name: string;
  goal: number;
  met: boolean;
}

/**
 * The ratio of two series of figures, round by round, held against its goal.
 *
 * @param above the figures of each round that should be large (or small, by the goal's direction)
 * @param below the figures of the same rounds they are divided by
 */
export function judge(goal: Goal, above: readonly number[], below: readonly number[]): Ratio {
  const found = spread(ratiosOf(above, below));
  return { name: goal.name, ...found, goal: goal.bound, met: isMet(goal, found.median) };
}

function isMet(goal: Goal, figure: number): boolean {
  return goal.direction === "at least" ? figure >= goal.bound : figure <= goal.bound;
}
