import {
  type Client,
  createClient,
  type Exchange,
  grams,
  type Kit,
  type Order,
  riyals,
  SabikaError,
  verifyReceipt,
  writePoolVersion,
} from "@sabika/client";
import type { EventReceiver } from "./event_receiver.ts";
import { narrateDelivery, narrateExchange } from "./narrate.ts";

/** The parts of a walk besides the partner's kit. */
export interface WalkParts {
  /** The receiver of order.executed; undefined when the partner's own receiver gets it. */
  receiver: EventReceiver | undefined;
  /** Prints a line of the walk, as it happens. */
  print: (line: string) => void;
}

const WEBHOOK_PATIENCE_MS = 20_000;

/**
 * Walks the core flow of the specification with the partner's SDK, printing each step with what was sent
 * and what came back: connect, token, fund, price, quote, signed order, webhook.
 *
 * @returns whether every step succeeded
 */
export async function walk(kit: Kit, { receiver, print }: WalkParts): Promise<boolean> {
  let number = 0;
  const step = (title: string) => print(`\n${++number}. ${title}`);
  const observe = (exchange: Exchange) => {
    // The client fetches the token before the first call that needs it: that is a separate step.
    const isToken = exchange.url.endsWith("/oauth/token");
    if (isToken) step("Token: client credentials for a JWT that is bound to the certificate");
    narrateExchange(exchange).forEach(print);
    if (isToken) held.splice(0).forEach((title) => step(title));
  };
  const held: string[] = [];
  const client = createClient(kit, { observe });
  try {
    step(`Connect: mutual TLS with the client certificate of ${kit.clientId}`);
    await client.health();
    held.push("Price of the moment, indicative");
    await client.prices();
    step("Fund the SAR account (sandbox only)");
    await client.fund({ amountHalalas: riyals("10000.00") });
    step("Quote: 5 grams of gold, firm for 60 seconds");
    const quote = await client.quote({ side: "buy", goldMicrograms: grams("5") });
    step("Order: signed with the partner's ES256 key, idempotent");
    const order = await client.order({ quoteId: quote.id, clientReference: "first-walk" });
    step("Webhook: order.executed at the partner's https endpoint");
    const arrived = await receiver?.waitFor(
      (event) => event.type === "order.executed" && event.object.id === order.id,
      WEBHOOK_PATIENCE_MS,
    );
    if (arrived !== undefined) {
      narrateDelivery(arrived).forEach(print);
      print("  the signature verifies");
    } else {
      print(`  it goes to ${kit.webhookUrl}, which is not answered from here`);
    }
    step("Receipt: the operator's word on which bars the gold is a share of");
    (await verifiedReceipt(client, order)).forEach(print);
    step("Balances");
    await client.balances();
    return true;
  } catch (error) {
    if (!(error instanceof SabikaError)) throw error;
    print(`  the walk ends here: ${error.code}: ${error.message}`);
    return false;
  } finally {
    await client.close();
  }
}

/** How many bars are named. */
const NAMED = 4;

/** Verifies an order's receipt as its holder would without the network, and says whose gold lies where. */
async function verifiedReceipt(client: Client, order: Order): Promise<string[]> {
  const jws = await client.getReceipt(order.id);
  if (jws === undefined) return ["  it is not signed yet"];
  const keys = await client.receiptKeys();
  const { receipt, faults } = await verifyReceipt({ jws, keys, order });
  if (receipt === undefined) return [`  it does not verify: ${faults.join(", ")}`];
  const list = await client.vaultVersion(receipt.pool.version);
  const all = await verifyReceipt({ jws, keys, order, bars: writePoolVersion(list) });
  if (!all.ok) return [`  it does not verify: ${all.faults.join(", ")}`];
  const { pool, share } = receipt;
  const named = list.bars.slice(0, NAMED).map(({ refiner, serial }) => `${refiner} ${serial}`);
  const others = list.bars.length - named.length;
  return [
    `  holds: ${all.holds.join(", ")}`,
    `  yours are ${share.partnerMicrograms} of ${share.poolMicrograms} micrograms`,
    `  in version ${pool.version} of the pool ${pool.id}: ${named.join(", ")}${
      others > 0 ? ` and ${others} more` : ""
    }`,
  ];
}
