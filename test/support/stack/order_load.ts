import {
  type Client,
  createClient,
  type Kit,
  openKit,
  type Quote,
  SabikaError,
} from "@sabika/client";

/** An order that a caller requested. */
export interface RequestedOrder {
  key: string;
  quoteId: Quote["id"];
  /** The acknowledged order's id; undefined: the outcome is unknown to the caller. */
  orderId: string | undefined;
  /** When it was acknowledged, in milliseconds of `performance.now()`. */
  ackedMs?: number;
}

/**
 * Starts callers that each request a quote and order it, again and again, on persistent connections. The SDK
 * repeats nothing, so that every failure is seen.
 */
export async function startOrderLoad(
  kitFolder: string,
  callers = 4,
  { pauseMs = 5, mostFailures = 2_000 } = {},
) {
  const kit = await openKit(kitFolder);
  const client = clientWithoutRepeats(kit);
  if (kit.environment === "sandbox") await client.fund({ amountHalalas: 1_000_000_000n });
  const orders: RequestedOrder[] = [];
  const failures: string[] = [];
  let going = true;
  const caller = async () => {
    while (going && failures.length < mostFailures) {
      try {
        const quote = await client.quote({ side: "buy", goldMicrograms: 10_000n });
        const order: RequestedOrder = {
          key: crypto.randomUUID(),
          quoteId: quote.id,
          orderId: undefined,
        };
        orders.push(order);
        order.orderId =
          (await client.order({ quoteId: quote.id }, { idempotencyKey: order.key })).id;
        order.ackedMs = performance.now();
      } catch (error) {
        if (!(error instanceof SabikaError)) throw error;
        failures.push(`${error.code} ${error.status} ${error.requestId ?? ""}`);
        // While the service is down this must not become a busy loop.
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  };
  const done = Promise.all(Array.from({ length: callers }, caller));
  return {
    orders,
    /** The code, status and request id of every failure. */
    failures,
    async stop() {
      going = false;
      await done;
      await client.close();
    },
  };
}

/** Opens a client that sends each request only once. */
export function clientWithoutRepeats(kit: Kit): Client {
  return createClient(kit, { retry: { attempts: 1 } });
}
