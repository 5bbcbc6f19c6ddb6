import {
  type Form,
  HALALAS,
  id,
  MICROGRAMS,
  nullable,
  oneOf,
  PRICE_PER_GRAM,
  STRING,
  TIME,
} from "../form.ts";
import type { Id } from "../ids.ts";
import type { JsonValue } from "../json.ts";
import { jsonString } from "../json_text.ts";
import { constant, member, optional, record } from "../record_form.ts";
import type { Parsed } from "../refusal.ts";
import { RequestReader } from "../request_reader.ts";
import { BALANCES, type Balances } from "./balances.ts";
import { type Side, SIDES } from "./side.ts";

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

/** The form of an order; `balances` is written when the order has them. */
export const ORDER: Form<Order> = record<Order>("order", {
  id: member("id", id("ord")),
  quoteId: member("quote_id", id("qt")),
  status: member("status", oneOf(ORDER_STATUSES)),
  side: member("side", oneOf(SIDES)),
  goldMicrograms: member("gold_grams", MICROGRAMS),
  pricePerGramTenThousandths: member("price_per_gram_sar", PRICE_PER_GRAM),
  feeHalalas: member("fee_sar", HALALAS),
  vatHalalas: member("vat_sar", HALALAS),
  totalHalalas: member("total_sar", HALALAS),
  $currency: constant('"SAR"'),
  clientReference: member("client_reference", nullable(STRING)),
  createdAtMs: member("created_at", TIME),
  executedAtMs: member("executed_at", TIME),
  balances: optional("balances", BALANCES),
});

/** The request's wire form; an absent reference is left out. */
export function orderRequestToJson(request: OrderRequest): string {
  return request.clientReference === null
    ? `{"quote_id":${jsonString(request.quoteId)}}`
    : `{"quote_id":${jsonString(request.quoteId)},` +
      `"client_reference":${jsonString(request.clientReference)}}`;
}

/** Reads the body of POST /v1/orders; whether the quote exists is the business's to say. */
export function orderRequestFromJson(value: JsonValue): Parsed<OrderRequest> {
  const reader = new RequestReader(value, ["quote_id", "client_reference"]);
  const quoteId = reader.string("quote_id");
  const clientReference = reader.clientReference();
  return reader.result(quoteId === undefined ? undefined : { quoteId, clientReference });
}
