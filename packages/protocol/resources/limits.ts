import { formatHalalas } from "../amounts.ts";
import { FIGURE, type Form, INTEGER, MICROGRAMS } from "../form.ts";
import {
  BODY_LIMIT_BYTES,
  FUNDING_MAX_HALALAS,
  FUNDING_MIN_HALALAS,
  QUOTE_VALIDITY_SECONDS,
  TIMESTAMP_WINDOW_SECONDS,
} from "../limits.ts";
import { constant, mapped, member, optional, record } from "../record_form.ts";

/** The classes of routes, each with its own rate limit for a partner (Decision D42). */
export const RATE_CLASSES = ["token", "read", "write", "signed"] as const;
/** One of {@link RATE_CLASSES}. */
export type RateClass = (typeof RATE_CLASSES)[number];

/** A token bucket: how fast it fills, and how much it holds. */
export interface RateLimit {
  /** Requests a second in the long run. */
  readonly perSecond: number;
  /** The requests that may come at once. */
  readonly burst: number;
}

/** A partner's rate limits; `nonces` limits those of a day, and is missing in older services. */
export type RateLimits = Readonly<Record<RateClass, RateLimit>> & { readonly nonces?: RateLimit };

/** The bounds of one partner: GET /v1/limits (Decision D19). */
export interface Limits {
  /** The smallest amount of a quote. */
  readonly quoteMinMicrograms: bigint;
  /** The largest amount of a quote. */
  readonly quoteMaxMicrograms: bigint;
  /** The quotes that may be open at once. */
  readonly openQuotesLimit: number;
  /** The rate limits by class of request. */
  readonly rateLimits: RateLimits;
}

type QuoteLimits = Omit<Limits, "rateLimits">;

const RATE_LIMIT: Form<RateLimit> = record<RateLimit>("rate limit", {
  perSecond: member("per_second", FIGURE, "How many requests a second, in the long run."),
  burst: member("burst", FIGURE, "How many at once, after a pause."),
});

/** The form of GET /v1/limits, with the bounds that are the same for all. */
export const LIMITS: Form<Limits> = mapped(
  record<{ quote: QuoteLimits; rates: RateLimits }>("limits", {
    quote: member(
      "quote",
      record<QuoteLimits>("quote limits", {
        quoteMinMicrograms: member("min_gold_grams", MICROGRAMS, "The least gold of a quote."),
        quoteMaxMicrograms: member("max_gold_grams", MICROGRAMS, "The most gold of a quote."),
        $valid_for_seconds: constant(String(QUOTE_VALIDITY_SECONDS), "How long a quote is firm."),
        openQuotesLimit: member("max_open", INTEGER, "How many quotes may be open at once."),
      }),
    ),
    $funding: constant(
      `{"min_amount_sar":${formatHalalas(FUNDING_MIN_HALALAS)},` +
        `"max_amount_sar":${formatHalalas(FUNDING_MAX_HALALAS)}}`,
      "What one call to /sandbox/fund may credit, in SAR.",
    ),
    $timestamp_window_seconds: constant(
      String(TIMESTAMP_WINDOW_SECONDS),
      "How far X-Timestamp may be from the time of the service.",
    ),
    $max_body_bytes: constant(String(BODY_LIMIT_BYTES), "The largest body of a request."),
    rates: member(
      "rates",
      record<RateLimits>("rate limits", {
        token: member("token", RATE_LIMIT),
        read: member("read", RATE_LIMIT),
        write: member("write", RATE_LIMIT),
        signed: member("signed", RATE_LIMIT),
        nonces: optional("nonces", RATE_LIMIT, "How many nonces may be stored, each for a day."),
      }),
    ),
  }),
  {
    toWire: ({ rateLimits, ...quote }) => ({ quote, rates: rateLimits }),
    fromWire: ({ quote, rates }) => ({ ...quote, rateLimits: rates }),
  },
);
