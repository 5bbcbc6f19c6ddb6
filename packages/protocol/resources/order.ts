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
import { TRADE_PARTS, type TradeParts } from "./trade_parts.ts";

/** The states of an order; every order was executed. */
export const ORDER_STATUSES = ["executed"] as const;
/** One of {@link ORDER_STATUSES}. */
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** An executed order (Decision D11). */
export interface Order extends TradeParts {
  /** Its id. */
  readonly id: Id<"ord">;
  /** The quote it executed. */
  readonly quoteId: Id<"qt">;
  /** Its state. */
  readonly status: OrderStatus;
  /** Whether the partner buys or sells. */
  readonly side: Side;
  /** The amount of gold. */
  readonly goldMicrograms: bigint;
  /** Ten-thousandths of a riyal per gram. */
  readonly pricePerGramTenThousandths: bigint;
  /** The fee, in the total. */
  readonly feeHalalas: bigint;
  /** The VAT, in the total. */
  readonly vatHalalas: bigint;
  /** The cost of a buy, or the proceeds of a sale. */
  readonly totalHalalas: bigint;
  /** The time of the price; absent if it is not known. */
  readonly priceAsOfMs?: number;
  /** The partner's own reference; null if there is none. */
  readonly clientReference: string | null;
  /** When it was received. */
  readonly createdAtMs: number;
  /** When it was executed. */
  readonly executedAtMs: number;
  /** The balances after this order; only in the answer to the POST and its replay. */
  readonly balances?: Balances;
}

/** The body of POST /v1/orders. */
export interface OrderRequest {
  /** The id of a quote; any other text is an unknown quote, not a malformed request. */
  readonly quoteId: string;
  /** The partner's own reference; null if there is none. */
  readonly clientReference: string | null;
}

/** The form of an order; `balances` is written when the order has them. */
export const ORDER: Form<Order> = record<Order>("order", {
  id: member("id", id("ord")),
  quoteId: member("quote_id", id("qt"), "The quote it executed."),
  status: member("status", oneOf(ORDER_STATUSES), "Every order is executed."),
  side: member("side", oneOf(SIDES), SIDE_SAYS),
  goldMicrograms: member("gold_grams", MICROGRAMS, "How much gold."),
  pricePerGramTenThousandths: member(
    "price_per_gram_sar",
    PRICE_PER_GRAM,
    "The price of the quote.",
  ),
  feeHalalas: member("fee_sar", HALALAS, "The fee, in the total."),
  vatHalalas: member("vat_sar", HALALAS, "All VAT, in the total."),
  ...TRADE_PARTS,
  priceAsOfMs: optional(
    "price_as_of",
    TIME,
    "When the source gave the price; absent if not known.",
  ),
  totalHalalas: member("total_sar", HALALAS, "What a buy cost, what a sale brought."),
  $currency: constant('"SAR"'),
  clientReference: member("client_reference", nullable(STRING), "Your own reference, or null."),
  createdAtMs: member("created_at", TIME, "When it was received."),
  executedAtMs: member("executed_at", TIME, "When it was executed."),
  balances: optional(
    "balances",
    BALANCES,
    "Right after this order; only in the answer to the POST.",
  ),
});

/** The form of the body of POST /v1/orders; whether the quote exists is checked later. */
export const ORDER_REQUEST: RequestForm<OrderRequest> = requestForm<OrderRequest>("OrderRequest", {
  quoteId: required("quote_id", TEXT, "The quote to be executed."),
  clientReference: nullOr("client_reference", CLIENT_REFERENCE, CLIENT_REFERENCE_SAYS),
});
/** Writes the body of POST /v1/orders. */
export const orderRequestToJson: RequestForm<OrderRequest>["write"] = ORDER_REQUEST.write;
/** Reads the body of POST /v1/orders. */
export const orderRequestFromJson: RequestForm<OrderRequest>["parse"] = ORDER_REQUEST.parse;
