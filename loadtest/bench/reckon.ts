/** How far a row of parts has come; all in seconds. */
export interface Course {
  /** What each of them takes, as expected. */
  expected: readonly number[];
  /** What the first ones took, which are over. */
  took: readonly number[];
  /** Since the next one began. */
  elapsed: number;
}

/** Of what was expected of a part: it stays when the part takes longer. */
const OVERDUE = 0.05;

/**
 * How much of everything is done, and how long the rest takes: as slow for what was expected of it as
 * what is over was.
 *
 * @returns `share` from 0 to 1, and `secondsLeft`
 */
export function reckon(
  { expected, took, elapsed }: Course,
): { share: number; secondsLeft: number } {
  const over = sum(took);
  const pace = took.length === 0 ? 1 : over / sum(expected.slice(0, took.length));
  const current = (expected[took.length] ?? 0) * pace;
  const rest = sum(expected.slice(took.length + 1)) * pace;
  const secondsLeft = Math.max(current - elapsed, current * OVERDUE) + rest;
  const passed = over + elapsed;
  return { share: passed / (passed + secondsLeft || 1), secondsLeft };
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
