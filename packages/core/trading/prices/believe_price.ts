import { isCurrent, type LatestPrice, PRICE_UNAVAILABLE } from "./price_source.ts";
import type { FeedSettings } from "./feed_settings.ts";
import type { FeedReading } from "./read_feed_answer.ts";

/**
 * What is believed of a feed so far. While `doubted` is not null nothing is quoted: the readings in it are
 * at a level that has yet to be confirmed, at the start and after a jump.
 */
export interface Belief {
  price: { midTenThousandths: bigint; asOfMs: number } | null;
  doubted: bigint[] | null;
  /** When the feed's number last changed. */
  movedAtMs: number;
  lastReading: bigint | null;
}

/** Before the first answer. */
export const NO_BELIEF: Belief = { price: null, doubted: [], movedAtMs: 0, lastReading: null };

/**
 * Weighs one reading. A reading within the jump limit of the believed price is believed at once. One
 * beyond it stops quoting, until as many readings in a row as the settings ask for agree with one another:
 * then theirs is the new level. A reading back at the old level ends the doubt at once.
 *
 * @param polledAtMs when the feed was asked: a price is as of then unless the feed says
 */
export function believe(
  belief: Belief,
  settings: Pick<FeedSettings, "maxJumpPpm" | "agreeing">,
  reading: FeedReading,
  polledAtMs: number,
): Belief {
  const { midTenThousandths: mid } = reading;
  const asOfMs = Math.min(reading.asOfMs ?? polledAtMs, polledAtMs);
  // A feed that goes back in time repeats itself.
  if (belief.price !== null && asOfMs < belief.price.asOfMs) return belief;
  const movedAtMs = mid === belief.lastReading ? belief.movedAtMs : polledAtMs;
  const next = { ...belief, movedAtMs, lastReading: mid };
  const price = { midTenThousandths: mid, asOfMs };
  if (belief.price !== null && near(mid, belief.price.midTenThousandths, settings.maxJumpPpm)) {
    return { ...next, price, doubted: null };
  }
  const last = belief.doubted?.at(-1);
  const doubted = last !== undefined && near(mid, last, settings.maxJumpPpm)
    ? [...belief.doubted!, mid]
    : [mid];
  if (doubted.length >= settings.agreeing) return { ...next, price, doubted: null };
  return { ...next, doubted };
}

/** Weighs an answer that was no reading: a row of agreeing ones begins anew, an undoubted price stands. */
export function disbelieve(belief: Belief): Belief {
  return belief.doubted === null ? belief : { ...belief, doubted: [] };
}

/** The price that may be quoted at: believed, not doubted, not too old, and not of a frozen feed. */
export function believedPrice(
  belief: Belief,
  settings: Pick<FeedSettings, "maxAgeMs" | "maxStillMs" | "timePath">,
  nowMs: number,
): LatestPrice {
  const { price, doubted, movedAtMs } = belief;
  if (price === null || doubted !== null) return PRICE_UNAVAILABLE;
  if (!isCurrent(price.asOfMs, nowMs, settings.maxAgeMs)) return PRICE_UNAVAILABLE;
  const watchesStillness = settings.timePath === undefined && settings.maxStillMs > 0;
  if (watchesStillness && nowMs - movedAtMs > settings.maxStillMs) return PRICE_UNAVAILABLE;
  return { ok: true, ...price };
}

function near(a: bigint, b: bigint, maxJumpPpm: bigint): boolean {
  const change = a > b ? a - b : b - a;
  return change * 1_000_000n <= b * maxJumpPpm;
}
