import type { FeedSettings } from "./feed_settings.ts";
import { isCurrent, type LatestPrice, type MidPrice, PRICE_UNAVAILABLE } from "./price_source.ts";
import type { FeedReading } from "./read_feed_answer.ts";

/** What a feed has said so far, and what of it was accepted. */
export interface FeedState {
  /** The latest accepted price. */
  price: MidPrice | null;
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
  // A feed that goes back in time repeats itself.
  if (state.price !== null && asOfMs < state.price.asOfMs) return state;
  const changedAtMs = mid === state.lastReading ? state.changedAtMs : polledAtMs;
  const next = { ...state, changedAtMs, lastReading: mid };
  const price = { midTenThousandths: mid, asOfMs };
  if (state.price !== null && isNear(mid, state.price.midTenThousandths, settings.maxJumpPpm)) {
    return { ...next, price, unconfirmed: null };
  }
  const before = state.unconfirmed ?? [];
  const last = before.at(-1);
  const agrees = last !== undefined && isNear(mid, last, settings.maxJumpPpm);
  const unconfirmed = agrees ? [...before, mid] : [mid];
  if (unconfirmed.length >= settings.agreeing) return { ...next, price, unconfirmed: null };
  return { ...next, unconfirmed };
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
  return { ok: true, source: "feed", ...price };
}

function isNear(a: bigint, b: bigint, maxJumpPpm: bigint): boolean {
  const change = a > b ? a - b : b - a;
  return change * 1_000_000n <= b * maxJumpPpm;
}
