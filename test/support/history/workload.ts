import { setTimeout as pause } from "node:timers/promises";
import { NoTokenError } from "./caller.ts";
import { chanceOf } from "./chance.ts";
import { TURNS } from "./turns.ts";
import { type Shared, Worker, type WorkloadOptions } from "./worker.ts";

/** A running load of calls of all kinds. */
export interface Workload {
  /** How many orders were acknowledged as executed. */
  readonly ordered: number;
  /** Resolves when enough calls were made. */
  readonly done: Promise<unknown>;
  stop(): Promise<void>;
}

/** How long a worker pauses after a call without an answer. */
const PAUSE_MS = 25;

/** Starts a load. Each worker draws its turns from its own seed. */
export function startWorkload(options: WorkloadOptions): Workload {
  const shared: Shared = { recent: [], kept: [], withdrawn: [], unknown: [], ordered: 0 };
  const { history, operations = Infinity, seed } = options;
  let isOver = false;
  const working = Array.from({ length: options.workers }, async (_, number) => {
    const worker = new Worker(
      options,
      shared,
      chanceOf(seed * 1_009 + number),
      `${seed}-${number}`,
    );
    while (!isOver && history.calls.length < operations) {
      try {
        await worker.chance.pick(TURNS)(worker);
      } catch (error) {
        if (!(error instanceof NoTokenError)) throw error;
        worker.isAway = true;
      }
      if (worker.isAway) await pause(PAUSE_MS);
    }
  });
  const done = Promise.all(working);
  // The caller that awaits `done` gets the error.
  done.catch(() => {});
  return {
    get ordered() {
      return shared.ordered;
    },
    done,
    async stop() {
      isOver = true;
      await done;
    },
  };
}
