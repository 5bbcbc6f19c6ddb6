import { createHash } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import type { PostgresJsDatabase } from "drizzle-orm/postgres-js";
import { uuidV7 } from "../../packages/protocol/mod.ts";
import * as tables from "./tables.ts";
import { Refused } from "./refused.ts";

const { accounts, events, idempotencyKeys, nonces, orders, quotes, transfers } = tables;

export interface OrderCommand {
  partnerId: number;
  idempotencyKey: string;
  body: string;
  quoteId: string;
  clientReference: string | null;
  nonce: string;
  timestampSeconds: number;
}

type Order = typeof orders.$inferSelect;
type Placed = { ok: true; replayed: boolean; order: Order } | { ok: false; refused: Refused };

/** One transaction, statement by statement, as one writes it with an ORM the first time. */
export async function placeOrder(
  database: PostgresJsDatabase,
  command: OrderCommand,
): Promise<{ replayed: boolean; order: Order }> {
  const placed = await database.transaction((tx) => place(tx, command));
  if (!placed.ok) throw placed.refused;
  return placed;
}

/** Refusals are returned, not thrown, where the nonce is to stay spent (Decision D25). */
async function place(tx: PostgresJsDatabase, command: OrderCommand): Promise<Placed> {
  const { partnerId } = command;
  const now = Date.now();
  const refused = (status: Refused["status"], code: string): Placed => ({
    ok: false,
    refused: new Refused(status, code),
  });

  const [account] = await tx.select().from(accounts)
    .where(eq(accounts.partnerId, partnerId)).for("update");
  const spent = await tx.insert(nonces)
    .values({
      partnerId,
      timestampSeconds: command.timestampSeconds,
      nonceHash: hash16(command.nonce),
    })
    .onConflictDoNothing().returning();
  if (spent.length === 0) return refused(401, "nonce_reused");

  const keyHash = hash16(command.idempotencyKey);
  const fingerprint = hash16(`POST /v1/orders ${command.body}`);
  // What this service made; the product has its keys in a table that inherits from this one.
  const [known] = await tx.select({
    fingerprint: sql<Buffer>`fingerprint`,
    resourceId: sql<string>`resource_id`,
  }).from(sql`only ${idempotencyKeys}`)
    .where(and(eq(idempotencyKeys.partnerId, partnerId), eq(idempotencyKeys.keyHash, keyHash)));
  if (known !== undefined) {
    if (!fingerprint.equals(known.fingerprint)) return refused(409, "idempotency_key_conflict");
    const [order] = await tx.select().from(orders)
      .where(and(eq(orders.partnerId, partnerId), eq(orders.orderId, known.resourceId)));
    return { ok: true, replayed: true, order: order! };
  }

  const [quote] = await tx.select().from(quotes)
    .where(and(eq(quotes.partnerId, partnerId), eq(quotes.quoteId, command.quoteId)));
  if (quote === undefined) return refused(404, "quote_not_found");
  const [used] = await tx.select().from(orders)
    .where(and(eq(orders.partnerId, partnerId), eq(orders.quoteId, command.quoteId)));
  if (used !== undefined) return refused(409, "quote_already_used");
  if (now >= quote.expiresAtMs) return refused(409, "quote_expired");

  const sign = quote.side === "buy" ? 1n : -1n;
  const cashAfterHalalas = account!.cashHalalas - sign * quote.totalHalalas;
  const goldAfterMicrograms = account!.goldMicrograms + sign * quote.goldMicrograms;
  const allocation = account!.allocationMicrograms - sign * quote.goldMicrograms;
  if (cashAfterHalalas < 0n) return refused(422, "insufficient_funds");
  if (goldAfterMicrograms < 0n) return refused(422, "insufficient_gold");
  if (allocation < 0n) return refused(422, "inventory_unavailable");

  await tx.update(accounts).set({
    cashHalalas: cashAfterHalalas,
    houseCashHalalas: account!.houseCashHalalas + sign * quote.totalHalalas,
    goldMicrograms: goldAfterMicrograms,
    allocationMicrograms: allocation,
    lastTransfer: account!.lastTransfer + 2n,
    lastEvent: account!.lastEvent + 1n,
  }).where(eq(accounts.partnerId, partnerId));

  const orderId = newId();
  const [order] = await tx.insert(orders).values({
    ...quote,
    orderId,
    cashAfterHalalas,
    goldAfterMicrograms,
    executedAtMs: now,
    clientReference: command.clientReference,
  }).returning();
  await postTransfers(tx, quote, account!.lastTransfer, { postedAt: now, sourceId: orderId });
  await tx.insert(events).values({
    partnerId,
    sequence: account!.lastEvent + 1n,
    eventId: newId(),
    resourceId: orderId,
    createdAt: now,
    type: "order.executed",
  });
  await tx.insert(idempotencyKeys).values({
    partnerId,
    keyHash,
    fingerprint,
    resourceId: orderId,
    createdAt: now,
    resourceKind: "order",
  });
  return { ok: true, replayed: false, order: order! };
}

/** The two transfers of an order, money and gold, after the partner's `last` one. */
async function postTransfers(
  tx: PostgresJsDatabase,
  quote: typeof quotes.$inferSelect,
  last: bigint,
  source: { postedAt: number; sourceId: string },
): Promise<void> {
  const posted = { partnerId: quote.partnerId, sourceKind: "order" as const, ...source };
  const isBuy = quote.side === "buy";
  await tx.insert(transfers).values({
    ...posted,
    number: last + 1n,
    asset: "SAR",
    debitAccount: isBuy ? "cash" : "house_cash",
    creditAccount: isBuy ? "house_cash" : "cash",
    amount: quote.totalHalalas,
  });
  await tx.insert(transfers).values({
    ...posted,
    number: last + 2n,
    asset: "XAU",
    debitAccount: isBuy ? "allocation" : "gold",
    creditAccount: isBuy ? "gold" : "allocation",
    amount: quote.goldMicrograms,
  });
}

function newId(): string {
  return uuidV7(Date.now(), (length) => crypto.getRandomValues(new Uint8Array(length)));
}

function hash16(text: string): Buffer {
  return createHash("sha256").update(text).digest().subarray(0, 16);
}
