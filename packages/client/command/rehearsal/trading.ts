import {
  type Case,
  change,
  demand,
  newKey,
  noOrder,
  onlyOrder,
  quoteOf,
  refusal,
  type Stage,
  succeed,
} from "./stage.ts";

/** Executes a quote and demands that the balances change by its terms alone. */
async function tradeExactly(stage: Stage, quote_id: string): Promise<void> {
  const key = newKey();
  const moved = await change(stage, async () => {
    await succeed(stage, { do: "order", quote_id, key });
  });
  const { side, goldMicrograms, totalHalalas } = await onlyOrder(stage, key);
  const sign = side === "buy" ? 1n : -1n;
  demand(moved.goldMicrograms === sign * goldMicrograms, "the gold is not that of the order");
  demand(moved.sarHalalas === -sign * totalHalalas, "the money is not that of the order");
}

const refusedOrder = (
  title: string,
  code: "insufficient_funds" | "insufficient_gold",
  side: "buy" | "sell",
): Case => ({
  title,
  holds: `refused with \`${code}\`, nothing is moved`,
  async run(stage) {
    const [quote_id, key] = [await quoteOf(stage, "0.1", side), newKey()];
    const moved = await change(
      stage,
      () => refusal(stage, { do: "order", quote_id, key, simulate: code }, code),
    );
    demand(moved.sarHalalas === 0n && moved.goldMicrograms === 0n, "something was moved");
    await noOrder(stage, key);
  },
});

/** Quotes and orders. */
export const TRADING: readonly Case[] = [
  {
    title: "Gold is bought by weight",
    holds: "gold and money change by the order's terms, to the halala",
    run: async (stage) => await tradeExactly(stage, await quoteOf(stage, "1.2345")),
  },
  {
    title: "Gold is bought for an amount of money",
    holds: "it costs at most that",
    async run(stage) {
      const step = { do: "quote", side: "buy", amount_sar: "500" } as const;
      const id = await succeed(stage, step);
      const { totalHalalas } = await stage.examiner.getQuote(id);
      demand(totalHalalas <= 50_000n, `it costs ${totalHalalas} halalas`);
      await tradeExactly(stage, id);
    },
  },
  {
    title: "Gold is sold",
    holds: "gold and money change by the order's terms, to the halala",
    run: async (stage) => await tradeExactly(stage, await quoteOf(stage, "0.5", "sell")),
  },
  {
    title: "An order is sent again under its key",
    holds: "the answer is the first one, there is one order",
    async run(stage) {
      const [quote_id, key] = [await quoteOf(stage), newKey()];
      const first = await succeed(stage, { do: "order", quote_id, key });
      const second = await succeed(stage, { do: "order", quote_id, key });
      demand(first === second, `${first} and then ${second}`);
      await onlyOrder(stage, key);
    },
  },
  {
    title: "A key is used for another order",
    holds: "refused with `idempotency_key_conflict`, the first order stands",
    async run(stage) {
      const [quote_id, other, key] = [await quoteOf(stage), await quoteOf(stage), newKey()];
      const id = await succeed(stage, { do: "order", quote_id, key });
      const step = { do: "order", quote_id: other, key } as const;
      await refusal(stage, step, "idempotency_key_conflict");
      demand((await onlyOrder(stage, key)).id === id, "the key has another order");
    },
  },
  {
    title: "A quote has ended",
    holds: "refused with `quote_expired`; a new quote is executed",
    async run(stage) {
      const step = { do: "quote", side: "buy", gold_grams: "0.1", simulate: "old_quote" } as const;
      const [quote_id, key] = [await succeed(stage, step), newKey()];
      await refusal(stage, { do: "order", quote_id, key }, "quote_expired");
      await noOrder(stage, key);
      await tradeExactly(stage, await quoteOf(stage));
    },
  },
  {
    title: "A quote is executed twice under two keys",
    holds: "the second is refused with `quote_already_used`",
    async run(stage) {
      const [quote_id, key] = [await quoteOf(stage), newKey()];
      await succeed(stage, { do: "order", quote_id, key: newKey() });
      await refusal(stage, { do: "order", quote_id, key }, "quote_already_used");
      await noOrder(stage, key);
    },
  },
  {
    title: "An order names a quote that does not exist",
    holds: "refused with `quote_not_found`",
    async run(stage) {
      const [quote_id, key] = [await quoteOf(stage), newKey()];
      const simulate = "quote_not_found";
      await refusal(stage, { do: "order", quote_id, key, simulate }, simulate);
      await noOrder(stage, key);
    },
  },
  refusedOrder("There is too little money", "insufficient_funds", "buy"),
  refusedOrder("There is too little gold", "insufficient_gold", "sell"),
  {
    title: "No gold is left to be sold",
    holds: "`inventory_unavailable` is told, or the repeat is executed once",
    async run(stage) {
      const [quote_id, key] = [await quoteOf(stage), newKey()];
      const simulate = "inventory_unavailable";
      const result = await stage.integration.do({ do: "order", quote_id, key, simulate });
      if (result.ok) return void await onlyOrder(stage, key);
      demand(result.code === simulate, `order ended with ${result.code}`);
      await noOrder(stage, key);
    },
  },
];
