import { wait } from "../../backoff.ts";
import {
  type Case,
  demand,
  newKey,
  noOrder,
  onlyOrder,
  quoteOf,
  scenario,
  type Stage,
  succeed,
} from "./stage.ts";

/** Runs while the price is of one level, or closed, and gives the market back. */
async function during(
  stage: Stage,
  midTenThousandths: bigint | null,
  run: () => Promise<void>,
): Promise<void> {
  const path = [{ afterSeconds: 0, midTenThousandths }];
  await scenario(stage, { price: { path, hours: null } });
  try {
    // It begins at the next full second.
    await wait(1_000, stage.signal);
    await run();
  } finally {
    await scenario(stage, { price: { path: null, hours: null } });
  }
}

/** The price and its absence. */
export const MARKET: readonly Case[] = [
  {
    title: "The price jumps by a fifth while a quote is open",
    holds: "the quote is executed at its own total",
    async run(stage) {
      const [quote_id, key] = [await quoteOf(stage), newKey()];
      const quote = await stage.examiner.getQuote(quote_id);
      await during(stage, quote.pricePerGramTenThousandths * 6n / 5n, async () => {
        await succeed(stage, { do: "order", quote_id, key });
      });
      const { totalHalalas } = await onlyOrder(stage, key);
      demand(totalHalalas === quote.totalHalalas, `it cost ${totalHalalas} halalas`);
    },
  },
  {
    title: "The market is closed, and opens again",
    holds: "no quote and no order meanwhile, and then a quote again",
    async run(stage) {
      const key = newKey();
      await during(stage, null, async () => {
        const step = { do: "quote", side: "buy", gold_grams: "0.1" } as const;
        const result = await stage.integration.do(step);
        demand(!result.ok, "there was a quote");
        await noOrder(stage, key);
      });
      await quoteOf(stage);
    },
  },
];
