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

/** Beyond this share the slowest are the machine's and not the calls'. */
const COUNTED = 0.9;

/**
 * Compares kinds of calls by Welch's t (how many standard errors their means are apart), one call after
 * the other. Each round makes one of each kind, in an order of its own, so that none always comes after
 * the same other.
 *
 * @param rounds how many calls of each kind count
 * @param warmUp rounds before those
 * @param onRound called before each round that counts
 * @returns the kinds as they were given
 */
export async function compareTimes(
  kinds: readonly TimedKind[],
  { rounds, warmUp, onRound = () => {} }: {
    rounds: number;
    warmUp: number;
    onRound?: (round: number) => void;
  },
): Promise<ComparedTime[]> {
  const all = kinds.map((kind) => ({ ...kind, times: [] as number[] }));
  for (let round = -warmUp; round < rounds; round++) {
    if (round >= 0) onRound(round);
    for (const { ask, times } of shuffled(all)) {
      const ms = await ask();
      if (round >= 0) times.push(ms);
    }
  }
  const sorted = Float64Array.from(all.flatMap(({ times }) => times)).sort();
  const slow = sorted[Math.floor(sorted.length * COUNTED)]!;
  const quick = all.map(({ times }) => times.filter((ms) => ms < slow));
  return all.map(({ name }, index) => ({
    name,
    meanMs: mean(quick[index]!),
    t: index === 0 ? 0 : welchT(quick[index]!, quick[0]!),
  }));
}

function shuffled<Value>(values: readonly Value[]): Value[] {
  const all = [...values];
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [all[at], all[other]] = [all[other]!, all[at]!];
  }
  return all;
}

function welchT(a: readonly number[], b: readonly number[]): number {
  return (mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function variance(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
}
