import type { TradingPartner } from "@sabika/service/batches";
import type { Trading } from "@sabika/service/trading";

/** Orders of some partners, without HTTP and signatures. */
export interface OrdersToTrade {
  readonly trading: Pick<Trading, "order">;
  readonly partnerIds: readonly number[];
  /** The open quotes of each partner, one for each order. */
  readonly quotes: readonly (readonly string[])[];
  /** The number of orders in flight. */
  readonly inFlight: number;
  readonly seconds: number;
}

/**
 * Executes orders as fast as they are answered, from the partners in turn.
 *
 * @returns the number of orders, and the seconds that they took
 * @throws Error if an order is refused
 */
export async function tradeOrders(
  { trading, partnerIds, quotes, inFlight, seconds }: OrdersToTrade,
): Promise<{ done: number; seconds: number }> {
  const partners = partnerIds.map(asTrading);
  let next = 0;
  let done = 0;
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  await Promise.all(Array.from({ length: inFlight }, async () => {
    while (performance.now() < endMs) {
      const turn = next++;
      const partner = partners[turn % partners.length]!;
      const quoteId = quotes[turn % partners.length]![Math.floor(turn / partners.length)];
      if (quoteId === undefined) return;
      const nowMs = Date.now();
      const outcome = await trading.order({
        partner,
        idempotencyKey: crypto.randomUUID(),
        parameters: `POST\n/v1/orders\n\n{"quote_id":"${quoteId}"}`,
        receivedAtMs: nowMs,
        request: { quoteId, clientReference: null },
        nonce: { value: crypto.randomUUID(), timestampSeconds: Math.floor(nowMs / 1000) },
        evidence: {
          url: "https://sandbox.example/v1/orders",
          body: `{"quote_id":"${quoteId}"}`,
          keyId: "k".repeat(43),
          signature: `${"h".repeat(140)}..${"s".repeat(86)}`,
        },
      });
      if (!outcome.ok) throw new Error(`an order was refused: ${outcome.code}`);
      done++;
    }
  }));
  return { done, seconds: (performance.now() - startMs) / 1000 };
}

function asTrading(partnerId: number): TradingPartner {
  return {
    partnerId,
    settings: {
      quoteMinMicrograms: 10_000n,
      quoteMaxMicrograms: 10_000_000_000n,
      openQuotesLimit: 1_000_000_000,
      spreadPpm: 5_000n,
      feePpm: 2_500n,
    },
  };
}
