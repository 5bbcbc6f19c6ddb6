import { chanceOf } from "../support/history/chance.ts";

/** One fault of a run, or two at once. */
export interface Strike {
  /** The number of the strike, from 1. */
  readonly number: number;
  /** The number of calls after which it begins, once the strike before it is over. */
  readonly atOperation: number;
  readonly names: readonly string[];
  /** How long it lasts, unless it ends by itself. */
  readonly holdMs: number;
  /** The seed of the fault's own choices, such as which process or link. */
  readonly seed: number;
}

const LEAST_HOLD_MS = 300;
const MOST_HOLD_MS = 4_000;
/** One strike in this many lasts so long that the service has to notice it and say so (I15). */
const LONG = 8;
const LEAST_LONG_MS = 20_000;
/** One strike in this many is two faults at once. */
const PAIRS = 6;

/**
 * Plans the faults of a run from its seed alone, evenly spread; every kind occurs once before any occurs
 * again.
 *
 * @param kinds all kinds of faults
 * @param pairable the kinds of which two may occur at once
 */
export function planStrikes(
  { seed, operations, faults, kinds, pairable }: {
    readonly seed: number;
    readonly operations: number;
    readonly faults: number;
    readonly kinds: readonly string[];
    readonly pairable: ReadonlySet<string>;
  },
): Strike[] {
  const { below, pick } = chanceOf(seed);
  const strikes: Strike[] = [];
  let left: string[] = [];
  for (let number = 1; number <= faults; number++) {
    if (left.length === 0) left = [...kinds];
    const [first] = left.splice(below(left.length), 1) as [string];
    const others = kinds.filter((kind) => kind !== first && pairable.has(kind));
    const isPair = below(PAIRS) === 0 && pairable.has(first) && others.length > 0;
    strikes.push({
      number,
      atOperation: Math.floor(operations * (number - 0.5) / faults),
      names: isPair ? [first, pick(others)] : [first],
      holdMs: (below(LONG) === 0 ? LEAST_LONG_MS : LEAST_HOLD_MS) +
        below(MOST_HOLD_MS - LEAST_HOLD_MS),
      seed: below(2 ** 32),
    });
  }
  return strikes;
}
