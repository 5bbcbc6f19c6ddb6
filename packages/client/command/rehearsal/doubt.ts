import type { SimulationName } from "@sabika/protocol";
import { type Case, demand, newKey, onlyOrder, quoteOf, succeed, succeedAtLast } from "./stage.ts";

const once = (title: string, holds: string, simulate: SimulationName): Case => ({
  title,
  holds,
  async run(stage) {
    const [quote_id, key] = [await quoteOf(stage), newKey()];
    const id = await succeedAtLast(stage, { do: "order", quote_id, key, simulate });
    const order = await onlyOrder(stage, key);
    demand(order.id === id, `${id} is not the order of the key, ${order.id}`);
  },
});

/** Answers that leave a doubt. */
export const DOUBT: readonly Case[] = [
  once(
    "The answer to an order is lost",
    "it is repeated under its key and executed once",
    "lost_answer",
  ),
  once(
    "Nobody knows what came of an order",
    "it is repeated under its key and executed once",
    "outcome_unknown",
  ),
  once(
    "An order comes while the service is away",
    "it is repeated under its key and executed once",
    "service_unavailable",
  ),
  once(
    "An order meets an internal error",
    "it is repeated under its key and executed once",
    "internal_error",
  ),
  once(
    "An order's nonce is spent already",
    "it is signed afresh, and executed once",
    "nonce_reused",
  ),
  once(
    "The clock is said to be wrong",
    "the order is signed afresh, and executed once",
    "timestamp_out_of_window",
  ),
  {
    title: "The answer to a withdrawal is lost",
    holds: "it is repeated under its key, and there is one",
    async run(stage) {
      const key = newKey();
      const simulate = "lost_answer";
      await succeed(stage, { do: "withdraw", amount_sar: "5", key, simulate });
      const { data } = await stage.examiner.listWithdrawals({ idempotencyKey: key });
      demand(data.length === 1, `the key made ${data.length} withdrawals`);
    },
  },
];
