import { assert } from "@std/assert";
import { until } from "../support/until.ts";
import { type Caller, idOf } from "./caller.ts";
import type { History } from "./history.ts";

/** Whether a whole trade passes at an instance. */
async function trades(instance: number, caller: Caller): Promise<boolean> {
  const choices = { instance, timeoutMs: 5_000 };
  const funded = await caller.write("fund", '{"amount_sar":1000}', choices);
  if (funded.outcome !== "ok") return false;
  const quoted = await caller.write("quote", '{"side":"buy","gold_grams":0.1}', choices);
  if (quoted.outcome !== "ok") return false;
  return (await caller.write("order", `{"quote_id":"${idOf(quoted)}"}`, choices)).outcome === "ok";
}

/** Milliseconds until both instances trade, each with its caller; the catalogue allows 30 s (I12). */
export function tradeAgain(callers: readonly Caller[]): Promise<number> {
  return until(
    async () =>
      (await Promise.all(callers.map((caller, instance) => trades(instance, caller))))
        .every(Boolean),
    30_000,
    "both instances trade again",
  );
}

/** Throws unless all answers are those that a fault of the database may bring about. */
export function checkReplies(history: History): void {
  const business = ["ok", "insufficient_gold", "insufficient_funds"];
  const away = ["service_unavailable", "outcome_unknown"];
  for (const { kind, replies } of history.operations) {
    for (const { code, status, retryAfter, body } of replies) {
      const known = [...business, ...away].includes(code);
      assert(known, `${kind}: ${status} ${code} ${body}`);
      if (status === 503) assert(retryAfter !== undefined, `${kind}: 503 without Retry-After`);
    }
  }
}
