import type { Violation } from "./checker.ts";
import { LONGEST_RECOVERY_MS } from "./recovery.ts";
import type { Struck } from "./strikes.ts";

/** A violation that no call shows. */
export function bare(invariant: string, what: string, partner: number | null = null): Violation {
  return {
    invariant: invariant.slice(0, 3).trim(),
    partner: partner ?? 0,
    what,
    about: [],
    calls: [],
  };
}

/** I12: after which faults service was not whole in time. */
export function slow(struck: readonly Struck[]): Violation[] {
  return struck
    .filter(({ recoveredMs }) => recoveredMs === undefined || recoveredMs > LONGEST_RECOVERY_MS)
    .map(({ strike, recoveredMs }) =>
      bare("I12", `${strike.names.join(" + ")}: whole after ${recoveredMs ?? "never"} ms`)
    );
}
