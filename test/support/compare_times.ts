/** A kind of call whose time is compared with that of other kinds. */
export interface TimedKind {
  readonly name: string;
  /** Makes the call; resolves with the milliseconds until its answer. */
  readonly ask: () => Promise<number>;
}

/** The mean time of a kind, and its distance from the first kind's mean in standard errors. */
export interface ComparedTime {
  readonly name: string;
  readonly meanMs: number;
  readonly t: number;
}

/** Differences of at least this many standard errors are significant. */
export const REAL_T = 4.5;

const WARM_UP_ROUNDS = 100;
/** The share of calls that count: the machine itself makes the slowest ones slow. */
const COUNTED = 0.9;

/**
 * Compares the times of kinds of calls by Welch's t (the distance of their means in standard errors).
 * Each round makes one call of each kind in turn, and the first kind changes from round to round.
 *
 * @param rounds how many calls of each kind are measured
 * @returns the kinds in the order of `kinds`
 */
export async function compareTimes(
  kinds: readonly TimedKind[],
  rounds: number,
): Promise<ComparedTime[]> {
  const timed = kinds.map((kind) => ({ ...kind, times: [] as number[] }));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    const first = Math.floor(Math.random() * timed.length);
    for (const { ask, times } of [...timed.slice(first), ...timed.slice(0, first)]) {
      const ms = await ask();
      if (round >= 0) times.push(ms);
    }
  }
  const sorted = Float64Array.from(timed.flatMap(({ times }) => times)).sort();
  const slow = sorted[Math.floor(sorted.length * COUNTED)]!;
  const measured = timed.map(({ times }) => spreadOf(times.filter((ms) => ms < slow)));
  const [reference] = measured as [Spread];
  return measured.map(({ mean, errorSquared }, index) => ({
    name: timed[index]!.name,
    meanMs: mean,
    t: (mean - reference.mean) / Math.sqrt(errorSquared + reference.errorSquared),
  }));
}

interface Spread {
  readonly mean: number;
  /** The variance of the mean. */
  readonly errorSquared: number;
}

function spreadOf(values: readonly number[]): Spread {
  const { length } = values;
  const mean = values.reduce((sum, value) => sum + value, 0) / length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (length - 1);
  return { mean, errorSquared: variance / length };
}
