import type { FeedSettings } from "./feed_settings.ts";
import { isCurrent, type LatestPrice, type MidPrice, PRICE_UNAVAILABLE } from "./price_source.ts";
import type { FeedReading } from "./read_feed_answer.ts";

/** A price, with the number as it came and why it was accepted. */
interface AcceptedPrice extends MidPrice {
  readonly rawValue?: string;
  readonly accepted?: string;
}

/** What a feed has said so far, and what of it was accepted. */
export interface FeedState {
  /** The latest accepted price. */
  price: AcceptedPrice | null;
  /**
   * Readings in a row that agree with one another at a level which has yet to be confirmed: at the
   * start and after a jump. Nothing is quoted meanwhile. Null when no level awaits confirmation.
   */
  unconfirmed: bigint[] | null;
  /** When the feed's number last changed. */
  changedAtMs: number;
  lastReading: bigint | null;
}

/** Before the first answer. */
export const NO_ANSWER_YET: FeedState = {
  price: null,
  unconfirmed: [],
  changedAtMs: 0,
  lastReading: null,
};

/**
 * Judges one reading. A reading within the jump limit of the accepted price is accepted at once. One
 * beyond it stops quoting, until as many readings in a row as the settings ask for agree with one
 * another: then theirs is the new level. A reading back at the old level is accepted at once.
 *
 * @param polledAtMs when the feed was asked: a price is as of then unless the feed says
 */
export function acceptReading(
  state: FeedState,
  settings: Pick<FeedSettings, "maxJumpPpm" | "agreeing">,
  reading: FeedReading,
  polledAtMs: number,
): FeedState {
  const { midTenThousandths: mid } = reading;
  const asOfMs = Math.min(reading.asOfMs ?? polledAtMs, polledAtMs);
  const keptMs = state.price?.asOfMs ?? 0;
  // A feed that goes back in time repeats itself; a kept time of the future is of a clock that was set back since.
  if (asOfMs < keptMs && keptMs <= polledAtMs) return state;
  const changedAtMs = mid === state.lastReading
    ? Math.min(state.changedAtMs, polledAtMs)
    : polledAtMs;
  const next = { ...state, changedAtMs, lastReading: mid };
  const priceBy = (accepted: string) => ({
    midTenThousandths: mid,
    asOfMs,
    ...(reading.rawValue !== undefined && { rawValue: reading.rawValue, accepted }),
  });
  if (state.price !== null && isNear(mid, state.price.midTenThousandths, settings.maxJumpPpm)) {
    return { ...next, price: priceBy("near the last"), unconfirmed: null };
  }
  const before = state.unconfirmed ?? [];
  const last = before.at(-1);
  const agrees = last !== undefined && isNear(mid, last, settings.maxJumpPpm);
  const unconfirmed = agrees ? [...before, mid] : [mid];
  if (unconfirmed.length >= settings.agreeing) {
    const price = priceBy(`${settings.agreeing} answers agree`);
    return { ...next, price, unconfirmed: null };
  }
  return { ...next, unconfirmed };
}

/**
 * Why a reading is not quoted at; undefined when it is.
 *
 * @param before the state before {@linkcode acceptReading}
 */
export function refusedBecause(
  before: FeedState,
  after: FeedState,
  settings: Pick<FeedSettings, "maxAgeMs" | "maxStillMs" | "timePath">,
  nowMs: number,
): string | undefined {
  if (after === before) return "its time went back";
  if (after.unconfirmed !== null) {
    return before.price === null
      ? "too few answers agree yet"
      : "the price jumped beyond the limit";
  }
  if (acceptedPrice(after, settings, nowMs).ok) return undefined;
  return isCurrent(after.price!.asOfMs, nowMs, settings.maxAgeMs)
    ? "the number stands still"
    : "older than its limit";
}

/** After an answer that held no reading: confirming a level begins anew, an accepted price stands. */
export function withoutReading(state: FeedState): FeedState {
  return state.unconfirmed === null ? state : { ...state, unconfirmed: [] };
}

/** The price that may be quoted at: accepted, at a confirmed level, not too old, the feed not frozen. */
export function acceptedPrice(
  state: FeedState,
  settings: Pick<FeedSettings, "maxAgeMs" | "maxStillMs" | "timePath">,
  nowMs: number,
): LatestPrice {
  const { price, unconfirmed, changedAtMs } = state;
  if (price === null || unconfirmed !== null) return PRICE_UNAVAILABLE;
  if (!isCurrent(price.asOfMs, nowMs, settings.maxAgeMs)) return PRICE_UNAVAILABLE;
  const mayFreeze = settings.timePath === undefined && settings.maxStillMs > 0;
  if (mayFreeze && nowMs - changedAtMs > settings.maxStillMs) return PRICE_UNAVAILABLE;
  const { midTenThousandths, asOfMs } = price;
  return { ok: true, source: "feed", midTenThousandths, asOfMs };
}

function isNear(a: bigint, b: bigint, maxJumpPpm: bigint): boolean {
  const change = a > b ? a - b : b - a;
  return change * 1_000_000n <= b * maxJumpPpm;
}
