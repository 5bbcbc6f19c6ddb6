import {
  formatHalalas,
  formatMicrograms,
  formatPrice,
  formatRate,
  parseHalalas,
  parseMicrograms,
  parsePrice,
  parseRate,
} from "../amounts.ts";
import type { Id } from "../ids.ts";
import { QUOTE_VALIDITY_SECONDS } from "../limits.ts";
import { formatTime } from "../times.ts";
import { type Side, SIDES } from "./side.ts";
import type { JsonValue } from "../json.ts";
import type { Parsed } from "../refusal.ts";
import { RequestReader } from "../request_reader.ts";
import { ResourceReader } from "../resource_reader.ts";

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

/** The quote's wire form. */
export function quoteToJson(quote: Quote): string {
  return `{"id":"${quote.id}","status":"${quote.status}","side":"${quote.side}",` +
    `"gold_grams":${formatMicrograms(quote.goldMicrograms)},` +
    `"price_per_gram_sar":${formatPrice(quote.pricePerGramTenThousandths)},` +
    `"fee_sar":${formatHalalas(quote.feeHalalas)},` +
    `"vat_rate":${formatRate(quote.vatRatePpm)},` +
    `"vat_sar":${formatHalalas(quote.vatHalalas)},` +
    `"total_sar":${formatHalalas(quote.totalHalalas)},"currency":"SAR",` +
    `"price_as_of":"${formatTime(quote.priceAsOfMs)}",` +
    `"created_at":"${formatTime(quote.createdAtMs)}",` +
    `"expires_at":"${formatTime(quote.expiresAtMs)}",` +
    `"valid_for_seconds":${QUOTE_VALIDITY_SECONDS},` +
    `"order_id":${quote.orderId === null ? "null" : `"${quote.orderId}"`}}`;
}

/** The request's wire form. */
export function quoteRequestToJson(request: QuoteRequest): string {
  return `{"side":"${request.side}","gold_grams":${formatMicrograms(request.goldMicrograms)}}`;
}

/** Reads what `quoteToJson` writes. Throws `WireFormatError`. */
export function quoteFromJson(value: JsonValue): Quote {
  const reader = new ResourceReader(value, "quote");
  return {
    id: reader.id("id", "qt"),
    status: reader.oneOf("status", QUOTE_STATUSES),
    side: reader.oneOf("side", SIDES),
    goldMicrograms: reader.amount("gold_grams", parseMicrograms),
    pricePerGramTenThousandths: reader.amount("price_per_gram_sar", parsePrice),
    feeHalalas: reader.amount("fee_sar", parseHalalas),
    vatRatePpm: reader.amount("vat_rate", parseRate),
    vatHalalas: reader.amount("vat_sar", parseHalalas),
    totalHalalas: reader.amount("total_sar", parseHalalas),
    priceAsOfMs: reader.timeMs("price_as_of"),
    createdAtMs: reader.timeMs("created_at"),
    expiresAtMs: reader.timeMs("expires_at"),
    orderId: reader.nullOr("order_id", (name) => reader.id(name, "ord")),
  };
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
