/**
 * A partner buys gold with the SDK, on Node and on Deno:
 *
 *   node tools/run.mjs docs/examples/buy_gold.ts .sabika/partners/demo
 *   deno run -A docs/examples/buy_gold.ts .sabika/partners/demo
 */
import process from "node:process";
import { createClient, grams, openKit, riyals, SabikaError } from "@sabika/client";

const client = createClient(await openKit(process.argv[2] ?? ".sabika/partners/demo"));
try {
  await client.fund({ amountHalalas: riyals("5000.00") });
  const quote = await client.quote({ side: "buy", goldMicrograms: grams("1.5") });
  console.log(
    `${quote.id}: ${quote.totalHalalas} halalas for 1.5 g, until ${
      new Date(quote.expiresAtMs).toISOString()
    }`,
  );
  // The key belongs beside your own record of the trade: asked again, it has no second effect.
  const order = await client.order({ quoteId: quote.id }, { idempotencyKey: crypto.randomUUID() });
  console.log(`${order.id}: ${order.status}`);
} catch (error) {
  if (!(error instanceof SabikaError)) throw error;
  console.error(
    `${error.code} (request ${error.requestId}), worth another try: ${error.retryable}`,
  );
  process.exitCode = 1;
} finally {
  await client.close();
}
