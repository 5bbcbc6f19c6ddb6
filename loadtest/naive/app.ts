import { type Context, Hono } from "hono";
import type { PostgresJsDatabase } from "drizzle-orm/postgres-js";
import { type Caller, findCaller } from "./caller.ts";
import { hash16, newId, placeOrder } from "./place_order.ts";
import { Refused } from "./refused.ts";
import { verifySignature } from "./signature.ts";
import { idempotencyKeys, nonces, type orders, quotes } from "./tables.ts";

export interface NaiveSettings {
  database: PostgresJsDatabase;
  /** What partners sign and tokens are issued for. */
  baseUrl: string;
}

const MID_PRICE_TEN_THOUSANDTHS = 4_500_000n;

/**
 * The partner service as one writes it first: an ORM, a transaction statement by statement, a JOSE
 * library, everything looked up for each request. Quotes, orders and probes have the contract of the
 * product and its tables, so that what `npm run bench` compares is the design alone.
 *
 * It is not to be run for anything else: it has no rate limits, no bounds and one fixed price.
 */
export function createNaiveService({ database, baseUrl }: NaiveSettings): Hono {
  const app = new Hono();

  app.post("/v1/quotes", async (c) => {
    const partner = await findCaller(c, database, baseUrl);
    const key = idempotencyKey(c);
    const body = await c.req.text();
    const { side, gold_grams } = JSON.parse(body) as { side: "buy" | "sell"; gold_grams: number };
    const gold = BigInt(Math.round(gold_grams * 1e6));
    const quote = priced(partner, side, gold);
    await database.transaction(async (tx) => {
      await tx.insert(quotes).values(quote);
      await tx.insert(idempotencyKeys).values({
        partnerId: partner.partnerId,
        keyHash: hash16(key),
        fingerprint: hash16(`POST /v1/quotes ${body}`),
        resourceId: quote.quoteId,
        createdAt: quote.createdAt,
        resourceKind: "quote",
      });
    });
    return c.json({
      id: `qt_${quote.quoteId}`,
      status: "open",
      side,
      gold_grams,
      price_per_gram_sar: Number(quote.priceTenThousandths) / 1e4,
      fee_sar: Number(quote.feeHalalas) / 100,
      vat_rate: 0,
      vat_sar: 0,
      total_sar: Number(quote.totalHalalas) / 100,
      currency: "SAR",
      price_as_of: new Date(quote.priceAsOf),
      created_at: new Date(quote.createdAt),
      expires_at: new Date(quote.expiresAt),
      valid_for_seconds: 60,
      order_id: null,
    }, 201);
  });

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

  app.post("/v1/signed-probe", async (c) => {
    const { partnerId } = await findCaller(c, database, baseUrl);
    const body = await c.req.text();
    const signed = await verifySignature(c, body, partnerId, database, baseUrl);
    const spent = await database.insert(nonces)
      .values({
        partnerId,
        timestampSeconds: signed.timestampSeconds,
        nonceHash: hash16(signed.nonce),
      })
      .onConflictDoNothing().returning();
    if (spent.length === 0) throw new Refused(401, "nonce_reused");
    return c.json({ verified: true, server_time: new Date() });
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

function priced(partner: Caller, side: "buy" | "sell", goldMicrograms: bigint) {
  const now = Date.now();
  const spread = side === "buy" ? partner.spreadPpm : -partner.spreadPpm;
  const price = MID_PRICE_TEN_THOUSANDTHS * (1_000_000n + spread) / 1_000_000n;
  const value = goldMicrograms * price / 100_000_000n;
  const fee = value * partner.feePpm / 1_000_000n + 1n;
  return {
    partnerId: partner.partnerId,
    quoteId: newId(),
    side,
    goldMicrograms,
    priceTenThousandths: price,
    feeHalalas: fee,
    vatPpm: 0n,
    vatHalalas: 0n,
    totalHalalas: side === "buy" ? value + fee : value - fee,
    priceAsOf: now,
    createdAt: now,
    expiresAt: now + 60_000,
  };
}

function orderToJson(order: typeof orders.$inferSelect) {
  return {
    id: `ord_${order.orderId}`,
    quote_id: `qt_${order.quoteId}`,
    status: "executed",
    side: order.side,
    gold_grams: Number(order.goldMicrograms) / 1e6,
    price_per_gram_sar: Number(order.priceTenThousandths) / 1e4,
    fee_sar: Number(order.feeHalalas) / 100,
    vat_sar: Number(order.vatHalalas) / 100,
    total_sar: Number(order.totalHalalas) / 100,
    currency: "SAR",
    client_reference: order.clientReference,
    created_at: new Date(order.executedAt),
    executed_at: new Date(order.executedAt),
    balances: {
      sar: Number(order.cashAfterHalalas) / 100,
      gold_grams: Number(order.goldAfterMicrograms) / 1e6,
    },
  };
}
