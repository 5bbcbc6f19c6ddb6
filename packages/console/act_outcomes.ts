import type { Performed } from "@sabika/office/acts";
import type { AdminRefusal } from "@sabika/terms";

/** What came of an act, for the page that its form leads to. */
export interface KeptOutcome {
  readonly operatorId: number;
  readonly name: string;
  /** Its result, why it was refused, or `unbooked` with the reason when it has still to be booked. */
  readonly outcome:
    | { readonly ok: true; readonly value: Performed<unknown> }
    | Pick<AdminRefusal, "ok" | "detail">
    | { readonly unbooked: string };
  /** The address that shows the act again. */
  readonly again: string;
}

/** Keeps what came of acts for five minutes, in memory alone: results hold what nobody else may see. */
export interface Outcomes {
  keep(id: string, outcome: KeptOutcome): void;
  /** Returns what came of a person's act; undefined when it is not here, or not here any more. */
  find(id: string, operatorId: number): KeptOutcome | undefined;
}

const KEPT_MS = 5 * 60_000;
/** More than all people can do in that time. */
const MOST = 1_000;

/** Creates an empty store; `now` returns epoch milliseconds. */
export function createOutcomes(now: () => number): Outcomes {
  const kept = new Map<string, KeptOutcome & { readonly untilMs: number }>();
  const forget = () => {
    for (const [id, { untilMs }] of kept) {
      // The oldest stand first.
      if (untilMs > now() && kept.size <= MOST) break;
      kept.delete(id);
    }
  };
  return {
    keep(id, outcome) {
      kept.set(id, { ...outcome, untilMs: now() + KEPT_MS });
      forget();
    },
    find(id, operatorId) {
      forget();
      const found = kept.get(id);
      return found?.operatorId === operatorId ? found : undefined;
    },
  };
}
