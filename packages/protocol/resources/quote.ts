import { formatMicrograms, parseMicrograms } from "../amounts.ts";
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
import type { JsonValue } from "../json.ts";
import { QUOTE_VALIDITY_SECONDS } from "../limits.ts";
import { constant, member, record } from "../record_form.ts";
import type { Parsed } from "../refusal.ts";
import { RequestReader } from "../request_reader.ts";
import { type Side, SIDES } from "./side.ts";

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
  status: member("status", oneOf(QUOTE_STATUSES)),
  side: member("side", oneOf(SIDES)),
  goldMicrograms: member("gold_grams", MICROGRAMS),
  pricePerGramTenThousandths: member("price_per_gram_sar", PRICE_PER_GRAM),
  feeHalalas: member("fee_sar", HALALAS),
  vatRatePpm: member("vat_rate", RATE),
  vatHalalas: member("vat_sar", HALALAS),
  totalHalalas: member("total_sar", HALALAS),
  $currency: constant('"SAR"'),
  priceAsOfMs: member("price_as_of", TIME),
  createdAtMs: member("created_at", TIME),
  expiresAtMs: member("expires_at", TIME),
  $valid_for_seconds: constant(String(QUOTE_VALIDITY_SECONDS)),
  orderId: member("order_id", nullable(id("ord"))),
});

/** The request's wire form. */
export function quoteRequestToJson(request: QuoteRequest): string {
  return `{"side":"${request.side}","gold_grams":${formatMicrograms(request.goldMicrograms)}}`;
}

/** Reads the body of POST /v1/quotes; bounds are the business's to check. */
export function quoteRequestFromJson(value: JsonValue): Parsed<QuoteRequest> {
  const reader = new RequestReader(value, ["side", "gold_grams"]);
  const side = reader.oneOf("side", SIDES);
  const goldMicrograms = reader.positiveAmount("gold_grams", parseMicrograms);
  return reader.result(
    side === undefined || goldMicrograms === undefined ? undefined : { side, goldMicrograms },
  );
}
