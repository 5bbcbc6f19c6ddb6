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
import { constant, member, optional, record } from "../record_form.ts";
import { CLIENT_REFERENCE, CLIENT_REFERENCE_SAYS, TEXT } from "../request_fields.ts";
import { nullOr, type RequestForm, requestForm, required } from "../request_form.ts";
import { BALANCES, type Balances } from "./balances.ts";
import { type Side, SIDE_SAYS, SIDES } from "./side.ts";

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
  quoteId: member("quote_id", id("qt"), "The quote it executed."),
  status: member("status", oneOf(ORDER_STATUSES), "An order that is there was executed."),
  side: member("side", oneOf(SIDES), SIDE_SAYS),
  goldMicrograms: member("gold_grams", MICROGRAMS, "How much gold."),
  pricePerGramTenThousandths: member(
    "price_per_gram_sar",
    PRICE_PER_GRAM,
    "The price of the quote.",
  ),
  feeHalalas: member("fee_sar", HALALAS, "The fee, in the total."),
  vatHalalas: member("vat_sar", HALALAS, "The VAT, in the total."),
  totalHalalas: member("total_sar", HALALAS, "What a buy cost, what a sale brought."),
  $currency: constant('"SAR"'),
  clientReference: member("client_reference", nullable(STRING), "Your own name for it."),
  createdAtMs: member("created_at", TIME, "When it was received."),
  executedAtMs: member("executed_at", TIME, "When it was executed."),
  balances: optional(
    "balances",
    BALANCES,
    "Right after this order; in the answer to the POST alone.",
  ),
});

/** The form of the body of POST /v1/orders; whether the quote exists is the business's to say. */
export const ORDER_REQUEST: RequestForm<OrderRequest> = requestForm<OrderRequest>("OrderRequest", {
  quoteId: required("quote_id", TEXT, "The quote to be executed."),
  clientReference: nullOr("client_reference", CLIENT_REFERENCE, CLIENT_REFERENCE_SAYS),
});
export const orderRequestToJson = ORDER_REQUEST.write;
export const orderRequestFromJson = ORDER_REQUEST.parse;
