const SAMPLE_MS = 1_000;
/** The most callers that are remembered; beyond that all are forgotten, which costs a line each. */
const MOST = 10_000;

/**
 * Samples the log lines of a flood: a caller's first refusal for its rate is logged, then one a second,
 * with the number left out since. The metrics count all of them.
 *
 * @returns a function of the caller and epoch milliseconds that returns how many lines were left out
 *   before this one, or undefined when this one is left out too
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
    // After a clock was set back, sampling starts again.
    if (nowMs >= known.writtenAtMs && nowMs - known.writtenAtMs < SAMPLE_MS) {
      known.leftOut++;
      return undefined;
    }
    const { leftOut } = known;
    Object.assign(known, { writtenAtMs: nowMs, leftOut: 0 });
    return leftOut;
  };
}
