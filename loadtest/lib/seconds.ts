const UNIT_SECONDS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 };

/** Converts a duration of k6, such as `1m30s`, to seconds. */
export function secondsOf(duration: string): number {
  let seconds = 0;
  for (const [, count, unit] of duration.matchAll(/(\d+)(ms|s|m|h)/g)) {
    seconds += Number(count) * UNIT_SECONDS[unit!]!;
  }
  return seconds;
}

/** Returns a share of a duration in k6's notation, at least one second. */
export function shareOf(duration: string, share: number): string {
  return `${Math.max(1, Math.round(secondsOf(duration) * share))}s`;
}
