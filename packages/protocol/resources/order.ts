import {
  formatHalalas,
  formatMicrograms,
  formatPrice,
  parseHalalas,
  parseMicrograms,
  parsePrice,
} from "../amounts.ts";
import type { Id } from "../ids.ts";
import { jsonString, jsonStringOrNull } from "../json_text.ts";
import { formatTime } from "../times.ts";
import { type Balances, balancesFromJson, balancesToJson } from "./balances.ts";
import { type Side, SIDES } from "./side.ts";
import type { JsonValue } from "../json.ts";
import type { Parsed } from "../refusal.ts";
import { RequestReader } from "../request_reader.ts";
import { ResourceReader } from "../resource_reader.ts";

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
  /** Any text: one that is no id is an unknown quote, not a malformed request. */
  readonly quoteId: string;
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

/** Reads what `orderToJson` writes. Throws `WireFormatError`. */
export function orderFromJson(value: JsonValue): Order {
  const reader = new ResourceReader(value, "order");
  const order: Order = {
    id: reader.id("id", "ord"),
    quoteId: reader.id("quote_id", "qt"),
    status: reader.oneOf("status", ORDER_STATUSES),
    side: reader.oneOf("side", SIDES),
    goldMicrograms: reader.amount("gold_grams", parseMicrograms),
    pricePerGramTenThousandths: reader.amount("price_per_gram_sar", parsePrice),
    feeHalalas: reader.amount("fee_sar", parseHalalas),
    vatHalalas: reader.amount("vat_sar", parseHalalas),
    totalHalalas: reader.amount("total_sar", parseHalalas),
    clientReference: reader.nullOr("client_reference", (name) => reader.string(name)),
    createdAtMs: reader.timeMs("created_at"),
    executedAtMs: reader.timeMs("executed_at"),
  };
  return reader.has("balances")
    ? { ...order, balances: balancesFromJson(reader.value("balances")) }
    : order;
}

/** Reads the body of POST /v1/orders; whether the quote exists is the business's to say. */
export function orderRequestFromJson(value: JsonValue): Parsed<OrderRequest> {
  const reader = new RequestReader(value, ["quote_id", "client_reference"]);
  const quoteId = reader.string("quote_id");
  const clientReference = reader.clientReference();
  return reader.result(quoteId === undefined ? undefined : { quoteId, clientReference });
}
