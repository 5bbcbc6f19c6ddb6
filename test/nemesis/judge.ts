import type { Violation } from "../support/history/checker.ts";
import type { Call } from "../support/history/history.ts";
import { LONGEST_RECOVERY_MS } from "./recovery.ts";
import type { Struck } from "./strikes.ts";

/** A violation that no call shows. */
export function bare(invariant: string, what: string, partner = 0): Violation {
  return { invariant, partner, what, about: [], calls: [] };
}

/** I12: after which faults service was not whole in time. */
export function slow(struck: readonly Struck[]): Violation[] {
  return struck
    .filter(({ recoveredMs }) => recoveredMs === undefined || recoveredMs > LONGEST_RECOVERY_MS)
    .map(({ strike, recoveredMs }) =>
      bare("I12", `${strike.names.join(" + ")}: whole after ${recoveredMs ?? "never"} ms`)
    );
}

/** How many calls a machine that stands still at times may have refused beyond what is expected. */
const MARGIN = 3;

/**
 * I12: who was refused something, or did not learn what came of it, by a fault of others' cells alone.
 * Where calls were refused between faults too, since the machine stood still, up to twice as many of
 * those in a hundred are taken for the same.
 */
export function unconcerned(struck: readonly Struck[], calls: readonly Call[]): Violation[] {
  if (struck.every(({ concerned }) => concerned === undefined)) return [];
  const found: Violation[] = [];
  let calm = calls;
  let asked = 0;
  for (const [index, { strike, concerned, beganMs, endedMs }] of struck.entries()) {
    const nextMs = struck[index + 1]?.beganMs ?? Infinity;
    const isMeanwhile = ({ startMs, endMs }: Call) => endMs >= beganMs && startMs < endedMs;
    calm = calm.filter((call) => !isMeanwhile(call));
    if (concerned === undefined) continue;
    for (const call of calls) {
      const { partner, startMs, endMs } = call;
      if (concerned.has(partner) || startMs < beganMs || startMs >= endedMs) continue;
      // Still under way when the next fault struck, it may have been struck by that one.
      if (endMs >= nextMs) continue;
      asked += 1;
      if (!isRefused(call)) continue;
      const what = `${strike.names.join(" + ")}: refused, of another cell`;
      found.push({ ...bare("I12", what, partner), calls: [call] });
    }
  }
  const refused = calm.filter(isRefused).length;
  const byItself = refused === 0 ? 0 : MARGIN + 2 * asked * refused / calm.length;
  return found.length > byItself ? found : [];
}

const isRefused = ({ status }: Call): boolean => status >= 500;
