import type { NemesisOptions, RunOptions } from "./options.ts";
import { runNemesis, type RunResult, type RunSurroundings } from "./run.ts";

/** What a slice came to; an `Error` when it broke off, its stack not starting for one. */
export interface Slice {
  readonly number: number;
  readonly seed: number;
  readonly came: RunResult | Error;
}

/**
 * Makes a run in slices, one after the other: each has a stack of its own, its share of the calls and
 * of the faults, and the next seed, by which it can be had again alone.
 *
 * @param finish takes each slice when it is over
 * @returns all of them, those before an interruption and the one that it ended
 */
export async function runSlices(
  { run, slices, endsAtViolation }: NemesisOptions,
  surroundings: RunSurroundings,
  finish: (slice: Slice) => Promise<void>,
): Promise<Slice[]> {
  const { now, signal, tell } = surroundings;
  const endMs = now() + run.minutes * 60_000;
  const all: Slice[] = [];
  for (let number = 1; number <= slices && !signal.aborted && now() < endMs; number++) {
    const share = (of: number) =>
      Math.floor(of * number / slices) - Math.floor(of * (number - 1) / slices);
    const options: RunOptions = {
      ...run,
      operations: Math.max(1, share(run.operations)),
      faults: share(run.faults),
      seed: (run.seed + number - 1) % 2 ** 32,
      minutes: (endMs - now()) / 60_000,
    };
    if (slices > 1) tell(`slice ${number} of ${slices}`);
    const came = await runNemesis(options, surroundings).catch((error: Error) => error);
    const slice = { number, seed: options.seed, came };
    all.push(slice);
    await finish(slice);
    if (endsAtViolation && isBroken(slice)) break;
  }
  return all;
}

/** Whether a slice showed a violation, or did not come to its end. */
export const isBroken = ({ came }: Slice): boolean =>
  came instanceof Error || came.violations.length > 0;
