import { formatHalalas, formatMicrograms, formatPrice } from "../amounts.ts";
import type { Id } from "../ids.ts";
import { jsonString, jsonStringOrNull } from "../json_text.ts";
import { formatTime } from "../times.ts";
import { type Balances, balancesToJson } from "./balances.ts";
import type { Side } from "./side.ts";

export const ORDER_STATUSES = ["executed"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** An executed order (Decision D11). */
export interface Order {
  readonly id: Id<"ord">;
  readonly quoteId: Id<"qt">;
  readonly status: OrderStatus;
  readonly side: Side;
  readonly goldMicrograms: bigint;
  readonly pricePerGramTenThousandths: bigint;
  readonly feeHalalas: bigint;
  readonly vatHalalas: bigint;
  readonly totalHalalas: bigint;
  readonly clientReference: string | null;
  readonly createdAtMs: number;
  readonly executedAtMs: number;
  /** Right after this order; in the answer to the POST and its replay alone. */
  readonly balances?: Balances;
}

/** The body of POST /v1/orders. */
export interface OrderRequest {
  readonly quoteId: Id<"qt">;
  readonly clientReference: string | null;
}

/** The order's wire form; `balances` is written when the order has them. */
export function orderToJson(order: Order): string {
  return `{"id":"${order.id}","quote_id":"${order.quoteId}","status":"${order.status}",` +
    `"side":"${order.side}",` +
    `"gold_grams":${formatMicrograms(order.goldMicrograms)},` +
    `"price_per_gram_sar":${formatPrice(order.pricePerGramTenThousandths)},` +
    `"fee_sar":${formatHalalas(order.feeHalalas)},` +
    `"vat_sar":${formatHalalas(order.vatHalalas)},` +
    `"total_sar":${formatHalalas(order.totalHalalas)},"currency":"SAR",` +
    `"client_reference":${jsonStringOrNull(order.clientReference)},` +
    `"created_at":"${formatTime(order.createdAtMs)}",` +
    `"executed_at":"${formatTime(order.executedAtMs)}"` +
    (order.balances === undefined ? "}" : `,"balances":${balancesToJson(order.balances)}}`);
}

/** The request's wire form; an absent reference is left out. */
export function orderRequestToJson(request: OrderRequest): string {
  return request.clientReference === null
    ? `{"quote_id":${jsonString(request.quoteId)}}`
    : `{"quote_id":${jsonString(request.quoteId)},` +
      `"client_reference":${jsonString(request.clientReference)}}`;
}
