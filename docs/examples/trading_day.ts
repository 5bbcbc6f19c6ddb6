/**
 * A partner's day: buys a gram of gold although the answer is lost, receives the events in their order, and
 * reconciles the day's statement with its own trades.
 *
 *   node tools/run.mjs docs/examples/trading_day.ts [KIT [WEBHOOK_URL]]
 *   deno run -A docs/examples/trading_day.ts [KIT [WEBHOOK_URL]]
 *
 * With WEBHOOK_URL, an https address on this machine that is registered for the partner, the sandbox's
 * events are received there with the kit's receiver.crt and receiver.key.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import process from "node:process";
import {
  type Client,
  createClient,
  createOrderedReceiver,
  formatGrams,
  formatRiyals,
  grams,
  type Kit,
  openKit,
  openTransport,
  type Order,
  riyals,
  SabikaError,
  sequenceInMemory,
  type Transport,
} from "@sabika/client";

/** A connection that loses the first answer to an order, as a network does now and then. */
function loseFirstAnswer(kit: Kit): Transport {
  const { fetch, close } = openTransport(kit);
  let isLost = false;
  return {
    close,
    async fetch(url, init) {
      const answer = await fetch(url, init);
      if (isLost || init.method !== "POST" || !url.endsWith("/v1/orders")) return answer;
      isLost = true;
      await answer.text();
      throw new TypeError("the connection broke");
    },
  };
}

async function buy(client: Client, kit: Kit): Promise<Order> {
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
  let made = 0;
  for await (const { clientReference } of client.listOrders()) {
    if (clientReference === trade) made += 1;
  }
  console.log(`its answer was lost, its call repeated: ${made} order`);
  return order;
}

/** Compares the statement of the day with the order, and its entries with its balances. */
async function reconcile(client: Client, day: string, order: Order): Promise<void> {
  const { opening, closing, entries } = await client.statement(day);
  let [sarHalalas, goldMicrograms] = [opening.sarHalalas, opening.goldMicrograms];
  for (const { asset, debitAccount, creditAccount, amount } of entries) {
    const own = asset === "SAR" ? "cash" : "gold";
    const change = creditAccount === own ? amount : debitAccount === own ? -amount : 0n;
    if (asset === "SAR") sarHalalas += change;
    else goldMicrograms += change;
  }
  const booked = entries.find((entry) => entry.order?.id === order.id)?.order;
  const agrees = sarHalalas === closing.sarHalalas && goldMicrograms === closing.goldMicrograms &&
    booked?.totalHalalas === order.totalHalalas && booked.goldMicrograms === order.goldMicrograms;
  console.log(`${day} ${agrees ? "reconciled" : "DIFFERS"}: ${entries.length} entries`);
}

/** Serves the webhook endpoint: each event once, in sequence. */
function serveWebhooks(kit: Kit, client: Client, url: URL, handled: Set<string>): Server {
  const receive = createOrderedReceiver({
    secrets: [kit.webhookSecret!],
    sequence: sequenceInMemory(), // sequenceInPostgres in production
    events: client.events,
    handle(event) {
      if (event.type !== "order.executed") return;
      console.log(`webhook ${event.type} ${event.object.id}`);
      handled.add(event.object.id);
      server.emit("handled");
    },
  });
  const server = createServer(
    { cert: kit.receiver!.certificatePem, key: kit.receiver!.privateKeyPem },
    async (request, response) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { status } = await receive({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(status, { connection: "close" }).end();
    },
  );
  return server.listen(Number(url.port), url.hostname);
}

const [folder = ".sabika/partners/demo", webhookUrl] = process.argv.slice(2);
const kit = await openKit(folder);
const connection = loseFirstAnswer(kit);
const client = createClient(kit, { fetch: connection.fetch });
const handled = new Set<string>();
const server = webhookUrl ? serveWebhooks(kit, client, new URL(webhookUrl), handled) : undefined;
try {
  const order = await buy(client, kit);
  const signal = AbortSignal.timeout(30_000);
  while (server && !handled.has(order.id)) await once(server, "handled", { signal });
  const inRiyadh = new Date(order.createdAtMs + 3 * 3_600_000).toISOString();
  await reconcile(client, inRiyadh.slice(0, 10), order);
} catch (error) {
  if (!(error instanceof SabikaError)) throw error;
  console.error(error.message); // The message ends with the request's id, for the operator.
  process.exitCode = 1;
} finally {
  server?.close();
  await client.close();
  await connection.close();
}
