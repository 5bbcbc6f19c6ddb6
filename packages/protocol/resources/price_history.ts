import { FIGURE, type Form, list, nullable, oneOf, PRICE_PER_GRAM, TIME } from "../form.ts";
import { constant, member, record } from "../record_form.ts";

/** The lengths of a span, in minutes. */
export const PRICE_INTERVAL_MINUTES = { "1m": 1, "5m": 5, "1h": 60, "1d": 1_440 } as const;
/** The name of such a length. */
export type PriceInterval = keyof typeof PRICE_INTERVAL_MINUTES;
/** The names of the lengths. */
export const PRICE_INTERVALS = Object.keys(PRICE_INTERVAL_MINUTES) as PriceInterval[];
/** The most spans that one answer has. */
export const PRICE_SPANS_MAX = 1_000;

/** The mid prices of a gram in a span of time (Decision D91). */
export interface PriceSpan {
  /** When it begins. */
  readonly startMs: number;
  /** The first price; null if it is not known. */
  readonly openTenThousandths: bigint | null;
  /** The highest price. */
  readonly highTenThousandths: bigint;
  /** The lowest price. */
  readonly lowTenThousandths: bigint;
  /** The last price. */
  readonly closeTenThousandths: bigint;
  /** How many prices were accepted; 0 if it is not known. */
  readonly count: number;
}

/** The course of the price in a period (Decision D91). */
export interface PriceHistory {
  /** The length of a span. */
  readonly interval: PriceInterval;
  /** When the period begins. */
  readonly fromMs: number;
  /** When it ends, exclusive. */
  readonly toMs: number;
  /** Oldest first, without those in which there was no price. */
  readonly spans: readonly PriceSpan[];
}

/** The form of GET /v1/prices/history. */
export const PRICE_HISTORY: Form<PriceHistory> = record<PriceHistory>("price history", {
  interval: member("interval", oneOf(PRICE_INTERVALS), "The length of a span; days are Riyadh's."),
  fromMs: member("from", TIME, "When the period begins."),
  toMs: member("to", TIME, "When it ends, exclusive."),
  $metal: constant('"XAU"'),
  $currency: constant('"SAR"'),
  $unit: constant('"gram"'),
  spans: member(
    "spans",
    list(record<PriceSpan>("price span", {
      startMs: member("start", TIME, "When it begins."),
      openTenThousandths: member(
        "open_sar",
        nullable(PRICE_PER_GRAM),
        "The first mid price; null if it is not known.",
      ),
      highTenThousandths: member("high_sar", PRICE_PER_GRAM, "The highest."),
      lowTenThousandths: member("low_sar", PRICE_PER_GRAM, "The lowest."),
      closeTenThousandths: member("close_sar", PRICE_PER_GRAM, "The last."),
      count: member("count", FIGURE, "How many prices were accepted; 0 if it is not known."),
    })),
    "Oldest first, without those in which there was no price.",
  ),
});
