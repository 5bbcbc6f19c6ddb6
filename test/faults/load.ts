import { type Caller, idOf } from "./caller.ts";
import type { History } from "./history.ts";
import type { Seeded } from "./seeded.ts";
import { pause } from "./waiting.ts";

export interface LoadOptions {
  readonly history: History;
  readonly callers: readonly Caller[];
  readonly instances: number;
  readonly chance: Seeded;
  /** Calls that are away at once. */
  readonly workers: number;
  /** Of one call; what takes longer is unknown. */
  readonly timeoutMs?: number;
  /** Least pause of a worker between two trades. */
  readonly pauseMs?: number;
}

/** Calls that go on until they are stopped. */
export type Load = ReturnType<typeof startLoad>;

/** Buys, sells, funds and withdraws at all instances, every call under a key of its own. */
export function startLoad(options: LoadOptions) {
  const { history, callers, instances, chance, timeoutMs, pauseMs = 0 } = options;
  let ordered = 0;
  let isOver = false;
  const durations: number[] = [];
  const working = Array.from({ length: options.workers }, async () => {
    while (!isOver) {
      const caller = chance.pick(callers);
      const choices = { instance: chance.below(instances), timeoutMs };
      const turn = chance.below(10);
      let reply;
      if (turn === 0) {
        const amount = (1 + chance.below(500_000) / 100).toFixed(2);
        reply = await history.call(caller, "fund", `{"amount_sar":${amount}}`, choices);
      } else if (turn === 1) {
        const amount = (1 + chance.below(50_000) / 100).toFixed(2);
        reply = await history.call(caller, "withdrawal", `{"amount_sar":${amount}}`, choices);
      } else {
        const side = chance.below(2) === 0 ? "buy" : "sell";
        const grams = (1 + chance.below(20_000)) / 10_000;
        reply = await history.call(
          caller,
          "quote",
          `{"side":"${side}","gold_grams":${Math.max(0.01, grams)}}`,
          choices,
        );
        if (reply.outcome === "ok") {
          const body = `{"quote_id":"${idOf(reply)}"}`;
          reply = await history.call(caller, "order", body, choices);
          if (reply.outcome === "ok") ordered += 1;
        }
      }
      durations.push(reply.ms);
      const isAway = reply.status === 503 || reply.status === 0;
      if (isAway || pauseMs > 0) await pause(isAway ? 50 : pauseMs);
    }
  });
  return {
    get ordered() {
      return ordered;
    },
    durations,
    async stop() {
      isOver = true;
      await Promise.all(working);
    },
  };
}

/** The value that this share of all does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
