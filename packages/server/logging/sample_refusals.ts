const SAMPLE_MS = 1_000;
/** More callers are not kept in mind; then all are forgotten, which costs a line each. */
const MOST = 10_000;

/**
 * Makes what thins out the lines of a flood: of a caller's refusals for its rate the first is written,
 * then one a second, which says how many were left out since. The metrics count every one.
 *
 * @returns a function that takes the caller and milliseconds, and gives how many were left out before
 *   this one, or undefined when this one is left out too
 */
export function sampleRefusals(): (caller: string, nowMs: number) => number | undefined {
  const callers = new Map<string, { writtenAtMs: number; leftOut: number }>();
  return (caller, nowMs) => {
    const known = callers.get(caller);
    if (known === undefined) {
      if (callers.size >= MOST) callers.clear();
      callers.set(caller, { writtenAtMs: nowMs, leftOut: 0 });
      return 0;
    }
    // A clock that was set back begins anew.
    if (nowMs >= known.writtenAtMs && nowMs - known.writtenAtMs < SAMPLE_MS) {
      known.leftOut++;
      return undefined;
    }
    const { leftOut } = known;
    Object.assign(known, { writtenAtMs: nowMs, leftOut: 0 });
    return leftOut;
  };
}
