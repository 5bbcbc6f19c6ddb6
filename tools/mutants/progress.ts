/** Tells how far a run is, at most twice a minute, or always in a terminal. */
export interface Progress {
  /** Adds mutants that are still to be judged. */
  expect(count: number): void;
  /** Counts a mutant that has been judged. */
  judged(isFound: boolean): void;
  /** Tells what is done now. */
  say(words: string): void;
}

const APART_MS = 30_000;

/**
 * @param isTerminal whether a line can be written over the one before
 * @param nowMs a clock of milliseconds, such as `performance.now`
 */
export function createProgress(
  write: (text: string) => void,
  isTerminal: boolean,
  nowMs: () => number,
): Progress {
  let [expected, judged, living] = [0, 0, 0];
  let startMs: number | undefined;
  let toldMs = nowMs();
  const tell = (words: string) => write(isTerminal ? `\r${words}\x1b[K` : `${words}\n`);
  return {
    expect(count) {
      expected += count;
    },
    judged(isFound) {
      judged++;
      if (!isFound) living++;
      startMs ??= nowMs();
      const isLast = judged === expected;
      if (!isTerminal && !isLast && nowMs() - toldMs < APART_MS) return;
      toldMs = nowMs();
      // The first has no time of its own: it came after the tests had been measured.
      const minutes = (toldMs - startMs) / Math.max(1, judged - 1) * (expected - judged) / 60_000;
      const left = isLast ? "" : `, about ${Math.ceil(minutes)} min left`;
      tell(`${judged} of ${expected} judged, ${living} not found${left}`);
      if (isTerminal && isLast) write("\n");
    },
    say(words) {
      tell(words);
    },
  };
}
