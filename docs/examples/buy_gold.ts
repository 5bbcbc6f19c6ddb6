/**
 * Buys a gram of gold, repeats the order with the same key, and waits for the one webhook:
 *
 *   node tools/run.mjs docs/examples/buy_gold.ts [KIT [WEBHOOK_URL]]
 *   deno run -A docs/examples/buy_gold.ts [KIT [WEBHOOK_URL]]
 *
 * With WEBHOOK_URL, an https address on this machine that is registered for the partner, the sandbox's
 * events are received there with the kit's receiver.crt and receiver.key.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import process from "node:process";
import {
  createClient,
  createWebhookReceiver,
  formatGrams,
  formatRiyals,
  grams,
  type Kit,
  openKit,
  type Order,
  riyals,
  SabikaError,
} from "@sabika/client";

async function buy(kit: Kit): Promise<Order> {
  const client = createClient(kit);
  try {
    if (kit.environment === "sandbox") await client.fund({ amountHalalas: riyals("1000") });
    const quote = await client.quote({ side: "buy", goldMicrograms: grams("1") });
    const until = new Date(quote.expiresAtMs).toISOString();
    console.log(`${quote.id} is firm until ${until}: ${formatRiyals(quote.totalHalalas)} SAR`);
    // Your own reference for the trade as the key, stored before the order is sent.
    const trade = crypto.randomUUID();
    const newOrder = { quoteId: quote.id, clientReference: trade };
    const order = await client.order(newOrder, { idempotencyKey: trade });
    const [gold, total] = [formatGrams(order.goldMicrograms), formatRiyals(order.totalHalalas)];
    console.log(`${order.id} ${order.status}: ${gold} g for ${total} SAR`);
    const again = await client.order(newOrder, { idempotencyKey: trade });
    console.log(`${again.id} once more: ${again.id === order.id ? "the same" : "another"} order`);
    return order;
  } finally {
    await client.close();
  }
}

/** Serves the webhook endpoint, and reports each executed order once. */
function serveWebhooks(kit: Kit, url: URL, report: (orderId: string) => void): Server {
  const receive = createWebhookReceiver({
    secrets: [kit.webhookSecret!],
    handle: (event) => event.type === "order.executed" ? report(event.object.id) : undefined,
  });
  return createServer(
    { cert: kit.receiver!.certificatePem, key: kit.receiver!.privateKeyPem },
    async (request, response) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = { get: (name: string) => request.headers[name]?.toString() };
      const { status } = await receive({ headers, body: Buffer.concat(chunks) });
      response.writeHead(status, { connection: "close" }).end();
    },
  ).listen(Number(url.port), url.hostname);
}

const [folder = ".sabika/partners/demo", webhookUrl] = process.argv.slice(2);
try {
  const kit = await openKit(folder);
  const reported = new Set<string>();
  const server = webhookUrl === undefined
    ? undefined
    : serveWebhooks(kit, new URL(webhookUrl), (id) => {
      reported.add(id);
      server?.emit("reported");
    });
  const order = await buy(kit);
  if (server) {
    const signal = AbortSignal.timeout(30_000);
    while (!reported.has(order.id)) await once(server, "reported", { signal });
    console.log(`webhook order.executed ${order.id}`);
    server.close();
  }
} catch (error) {
  if (!(error instanceof SabikaError)) throw error;
  console.error(error.message); // The message ends with the request's id, for the operator.
  process.exitCode = 1;
}
