import {
  type Form,
  HALALAS,
  id,
  MICROGRAMS,
  nullable,
  oneOf,
  PRICE_PER_GRAM,
  RATE,
  TIME,
} from "../form.ts";
import type { Id } from "../ids.ts";
import { QUOTE_VALIDITY_SECONDS } from "../limits.ts";
import { constant, member, record } from "../record_form.ts";
import { choice, GOLD } from "../request_fields.ts";
import { type RequestForm, requestForm, required } from "../request_form.ts";
import { type Side, SIDE_SAYS, SIDES } from "./side.ts";

export const QUOTE_STATUSES = ["open", "executed", "expired"] as const;
export type QuoteStatus = (typeof QUOTE_STATUSES)[number];

/** A firm quote (Decision D10). The order takes its total as it stands. */
export interface Quote {
  readonly id: Id<"qt">;
  readonly status: QuoteStatus;
  readonly side: Side;
  readonly goldMicrograms: bigint;
  readonly pricePerGramTenThousandths: bigint;
  readonly feeHalalas: bigint;
  readonly vatRatePpm: bigint;
  readonly vatHalalas: bigint;
  readonly totalHalalas: bigint;
  readonly priceAsOfMs: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly orderId: Id<"ord"> | null;
}

/** The body of POST /v1/quotes. */
export interface QuoteRequest {
  readonly side: Side;
  readonly goldMicrograms: bigint;
}

/** The form of a quote. */
export const QUOTE: Form<Quote> = record<Quote>("quote", {
  id: member("id", id("qt")),
  status: member("status", oneOf(QUOTE_STATUSES), "An open one can be executed."),
  side: member("side", oneOf(SIDES), SIDE_SAYS),
  goldMicrograms: member("gold_grams", MICROGRAMS, "How much gold."),
  pricePerGramTenThousandths: member("price_per_gram_sar", PRICE_PER_GRAM, "The firm price."),
  feeHalalas: member("fee_sar", HALALAS, "The fee, in the total."),
  vatRatePpm: member("vat_rate", RATE, "The rate of VAT."),
  vatHalalas: member("vat_sar", HALALAS, "The VAT, in the total."),
  totalHalalas: member("total_sar", HALALAS, "What a buy costs, what a sale brings."),
  $currency: constant('"SAR"'),
  priceAsOfMs: member("price_as_of", TIME, "When the source gave the price."),
  createdAtMs: member("created_at", TIME, "When it was made."),
  expiresAtMs: member("expires_at", TIME, "An order received before this is in time."),
  $valid_for_seconds: constant(String(QUOTE_VALIDITY_SECONDS), "How long a quote is firm."),
  orderId: member("order_id", nullable(id("ord")), "The order that executed it."),
});

/** The form of the body of POST /v1/quotes; bounds are the business's to check. */
export const QUOTE_REQUEST: RequestForm<QuoteRequest> = requestForm<QuoteRequest>("QuoteRequest", {
  side: required("side", choice(SIDES), SIDE_SAYS),
  goldMicrograms: required("gold_grams", GOLD, "How much gold."),
});
export const quoteRequestToJson = QUOTE_REQUEST.write;
export const quoteRequestFromJson = QUOTE_REQUEST.parse;
