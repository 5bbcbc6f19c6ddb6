import { type Context, Hono } from "hono";
import type { PostgresJsDatabase } from "drizzle-orm/postgres-js";
import { findCaller } from "./caller.ts";
import { placeOrder } from "./place_order.ts";
import { Refused } from "./refused.ts";
import { verifySignature } from "./signature.ts";
import type { orders } from "./tables.ts";

export interface NaiveSettings {
  database: PostgresJsDatabase;
  /** What partners sign and tokens are issued for. */
  baseUrl: string;
}

/**
 * The partner service as one writes it first: an ORM, a transaction statement by statement, a JOSE
 * library, everything looked up for each request. Orders have the contract of the product and its tables,
 * so that what `npm run bench` compares is the design alone.
 *
 * It is not to be run for anything else: it has no rate limits and no bounds.
 */
export function createNaiveService({ database, baseUrl }: NaiveSettings): Hono {
  const app = new Hono();

  app.post("/v1/orders", async (c) => {
    const partner = await findCaller(c, database, baseUrl);
    const body = await c.req.text();
    const signed = await verifySignature(c, body, partner.partnerId, database, baseUrl);
    const request = JSON.parse(body) as { quote_id: string; client_reference?: string };
    const { replayed, order } = await placeOrder(database, {
      partnerId: partner.partnerId,
      idempotencyKey: idempotencyKey(c),
      body,
      quoteId: request.quote_id.replace(/^qt_/, ""),
      clientReference: request.client_reference ?? null,
      ...signed,
    });
    if (replayed) c.header("idempotent-replayed", "true");
    return c.json(orderToJson(order), replayed ? 200 : 201);
  });

  app.onError((error, c) => {
    const refused = error instanceof Refused;
    if (!refused) console.error(error);
    const status = refused ? error.status : 500;
    const code = refused ? error.code : "internal_error";
    const problem = JSON.stringify({ type: "about:blank", title: code, status, code });
    return c.body(problem, status, { "content-type": "application/problem+json" });
  });
  return app;
}

function idempotencyKey(c: Context): string {
  const key = c.req.header("idempotency-key");
  if (key === undefined) throw new Refused(400, "idempotency_key_missing");
  return key;
}

function orderToJson(order: typeof orders.$inferSelect) {
  return {
    id: `ord_${order.orderId}`,
    quote_id: `qt_${order.quoteId}`,
    status: "executed",
    side: order.side,
    gold_grams: Number(order.goldMicrograms) / 1e6,
    price_per_gram_sar: Number(order.pricePerGramTenThousandths) / 1e4,
    fee_sar: Number(order.feeHalalas) / 100,
    vat_sar: Number(order.vatHalalas) / 100,
    total_sar: Number(order.totalHalalas) / 100,
    currency: "SAR",
    client_reference: order.clientReference,
    created_at: new Date(order.executedAtMs),
    executed_at: new Date(order.executedAtMs),
    balances: {
      sar: Number(order.cashAfterHalalas) / 100,
      gold_grams: Number(order.goldAfterMicrograms) / 1e6,
    },
  };
}
