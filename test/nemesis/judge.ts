import { type Violation, withoutCalls } from "../support/history/checker.ts";
import type { Call } from "../support/history/history.ts";
import { LONGEST_RECOVERY_MS } from "./recovery.ts";
import type { StrikeResult } from "./strikes.ts";

/** Returns a violation of I12 for each fault after which the stack did not recover in time. */
export function slowRecoveries(struck: readonly StrikeResult[]): Violation[] {
  return struck
    .filter(({ recoveredMs }) => recoveredMs === undefined || recoveredMs > LONGEST_RECOVERY_MS)
    .map(({ strike, recoveredMs }) =>
      withoutCalls("I12", `${strike.names.join(" + ")}: served after ${recoveredMs ?? "never"} ms`)
    );
}

/** How many refusals beyond those expected are attributed to a stalling machine. */
const MARGIN = 3;

/**
 * Returns a violation of I12 for each call that was refused or not answered although the cell of its partner
 * had no fault. If calls are refused between faults too (a stalling machine), twice that share is allowed.
 */
export function disturbedOthers(
  struck: readonly StrikeResult[],
  calls: readonly Call[],
): Violation[] {
  if (struck.every(({ concerned }) => concerned === undefined)) return [];
  const found: Violation[] = [];
  let calm = calls;
  let judged = 0;
  for (const [index, { strike, concerned, beganMs, endedMs }] of struck.entries()) {
    const nextMs = struck[index + 1]?.beganMs ?? Infinity;
    const isMeanwhile = ({ startMs, endMs }: Call) => endMs >= beganMs && startMs < endedMs;
    calm = calm.filter((call) => !isMeanwhile(call));
    if (concerned === undefined) continue;
    for (const call of calls) {
      const { partner, startMs, endMs } = call;
      if (concerned.has(partner) || startMs < beganMs || startMs >= endedMs) continue;
      // The call was still in flight when the next fault struck, which may have caused the failure.
      if (endMs >= nextMs) continue;
      judged += 1;
      if (!isRefused(call)) continue;
      const what = `${strike.names.join(" + ")}: refused, of another cell`;
      found.push({ ...withoutCalls("I12", what, partner), calls: [call] });
    }
  }
  const refused = calm.filter(isRefused).length;
  const allowed = refused === 0 ? 0 : MARGIN + 2 * judged * refused / calm.length;
  return found.length > allowed ? found : [];
}

const isRefused = ({ status }: Call): boolean => status >= 500;
