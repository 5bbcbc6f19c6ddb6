// Buys a gram of gold. Node: npx tsx trade.ts KIT, Deno: deno run -A trade.ts KIT
import process from "node:process";
import { createClient, grams, openKit, riyals, SabikaError } from "@sabika/client";

const kit = await openKit(process.argv[2] ?? ".sabika/partners/demo");
const client = createClient(kit);
try {
  if (kit.environment === "sandbox") await client.fund({ amountHalalas: riyals("1000") });

  const quote = await client.quote({ side: "buy", goldMicrograms: grams("1") });
  console.log(
    `firm until ${new Date(quote.expiresAtMs).toISOString()}: ${quote.totalHalalas} halalas`,
  );

  // Your own reference for the trade as the key: repeating the call after a crash cannot buy twice.
  const trade = crypto.randomUUID();
  const order = await client.order({ quoteId: quote.id, clientReference: trade }, {
    idempotencyKey: trade,
  });
  console.log(`${order.id} ${order.status}: ${order.goldMicrograms} µg of gold`);
} catch (error) {
  if (!(error instanceof SabikaError)) throw error;
  // `error.code` is for programs; the message ends with the request's id, for the operator.
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await client.close();
}
