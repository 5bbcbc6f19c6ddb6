import { formatHalalas, formatMicrograms, parseMicrograms } from "../amounts.ts";
import type { JsonValue } from "../json.ts";
import {
  BODY_LIMIT_BYTES,
  FUNDING_MAX_HALALAS,
  FUNDING_MIN_HALALAS,
  QUOTE_VALIDITY_SECONDS,
  TIMESTAMP_WINDOW_SECONDS,
} from "../limits.ts";
import { ResourceReader } from "../resource_reader.ts";

/** Requests are limited by what they cost (Decision D42). */
export const RATE_CLASSES = ["token", "read", "write", "signed"] as const;
export type RateClass = (typeof RATE_CLASSES)[number];

/** A token bucket: how fast it fills, and how much it holds. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** The bounds of one partner: GET /v1/limits (Decision D19). */
export interface Limits {
  readonly quoteMinMicrograms: bigint;
  readonly quoteMaxMicrograms: bigint;
  readonly openQuotesLimit: number;
  readonly rateLimits: Readonly<Record<RateClass, RateLimit>>;
}

/** The wire form of GET /v1/limits, with the bounds that are the same for all. */
export function limitsToJson(limits: Limits): string {
  return `{"quote":{"min_gold_grams":${formatMicrograms(limits.quoteMinMicrograms)},` +
    `"max_gold_grams":${formatMicrograms(limits.quoteMaxMicrograms)},` +
    `"valid_for_seconds":${QUOTE_VALIDITY_SECONDS},"max_open":${limits.openQuotesLimit}},` +
    `"funding":{"min_amount_sar":${formatHalalas(FUNDING_MIN_HALALAS)},` +
    `"max_amount_sar":${formatHalalas(FUNDING_MAX_HALALAS)}},` +
    `"timestamp_window_seconds":${TIMESTAMP_WINDOW_SECONDS},` +
    `"max_body_bytes":${BODY_LIMIT_BYTES},` +
    `"rates":{${RATE_CLASSES.map((name) => rateToJson(name, limits.rateLimits[name])).join(",")}}}`;
}

/** Reads the partner's own bounds out of it. Throws `WireFormatError`. */
export function limitsFromJson(value: JsonValue): Limits {
  const reader = new ResourceReader(value, "limits");
  const quote = reader.object("quote");
  const rates = reader.object("rates");
  const rate = (name: RateClass): RateLimit => {
    const limit = rates.object(name);
    return { perSecond: limit.number("per_second"), burst: limit.number("burst") };
  };
  return {
    quoteMinMicrograms: quote.amount("min_gold_grams", parseMicrograms),
    quoteMaxMicrograms: quote.amount("max_gold_grams", parseMicrograms),
    openQuotesLimit: quote.integer("max_open"),
    rateLimits: {
      token: rate("token"),
      read: rate("read"),
      write: rate("write"),
      signed: rate("signed"),
    },
  };
}

function rateToJson(name: RateClass, limit: RateLimit): string {
  return `"${name}":{"per_second":${limit.perSecond},"burst":${limit.burst}}`;
}
