/** One kind of call whose time is compared with others'. */
export interface TimedKind {
  readonly name: string;
  /** Makes the call; resolves with the milliseconds that its answer took. */
  readonly ask: () => Promise<number>;
}

/** The time of a kind: its mean, and how many standard errors that is from the first kind's. */
export interface ComparedTime {
  readonly name: string;
  readonly meanMs: number;
  readonly t: number;
}

/** From here on a difference is taken to be real. */
export const REAL_T = 4.5;

const WARM_UP_ROUNDS = 100;
/** Beyond this share the slowest are the machine's and not the calls'. */
const COUNTED = 0.9;

/**
 * Compares kinds of calls by Welch's t (how many standard errors their means are apart), one call after
 * the other. Each round makes one of each kind and begins with another, so that none always comes first.
 *
 * @param rounds how many calls of each kind count
 * @returns the kinds in the order of `kinds`
 */
export async function compareTimes(
  kinds: readonly TimedKind[],
  rounds: number,
): Promise<ComparedTime[]> {
  const all = kinds.map((kind) => ({ ...kind, times: [] as number[] }));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    const first = Math.floor(Math.random() * all.length);
    for (const { ask, times } of [...all.slice(first), ...all.slice(0, first)]) {
      const ms = await ask();
      if (round >= 0) times.push(ms);
    }
  }
  const sorted = Float64Array.from(all.flatMap(({ times }) => times)).sort();
  const slow = sorted[Math.floor(sorted.length * COUNTED)]!;
  const measured = all.map(({ times }) => spreadOf(times.filter((ms) => ms < slow)));
  const [reference] = measured as [Spread];
  return measured.map(({ mean, errorSquared }, index) => ({
    name: all[index]!.name,
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
