import { pause } from "../faults/waiting.ts";
import { NoTokenError } from "./bank.ts";
import { settle } from "./settle.ts";
import { TURNS } from "./turns.ts";
import { makeWorker, type Shared, type WorkloadOptions } from "./worker.ts";

/** Calls of all kinds that go on until there were enough, or they are stopped. */
export type Workload = ReturnType<typeof startWorkload>;

/** Where nobody can serve, callers do not ask in a tight circle. */
const PAUSE_MS = 25;

/** Begins a load: every worker draws from a seed of its own what it does next. */
export function startWorkload(options: WorkloadOptions) {
  const shared: Shared = { recent: [], kept: [], withdrawn: [], unknown: [] };
  let isOver = false;
  const { history, operations } = options;
  const working = Array.from({ length: options.workers }, async (_, number) => {
    const worker = makeWorker(options, shared, number);
    while (!isOver && history.calls.length < operations) {
      try {
        await TURNS[worker.chance.below(TURNS.length)]!(worker);
      } catch (error) {
        if (!(error instanceof NoTokenError)) throw error;
        worker.isAway = true;
      }
      if (worker.isAway) await pause(PAUSE_MS);
    }
  });
  const done = Promise.all(working);
  // Whoever awaits it hears of it.
  done.catch(() => {});
  return {
    /** Resolves when enough calls were made. */
    done,
    async stop() {
      isOver = true;
      await done;
    },
    /** Finds out what came of every write whose outcome is unknown; see `settle`. */
    settle: (patienceMs: number) => settle(options, patienceMs),
  };
}
