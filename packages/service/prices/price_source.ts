/** The mid price of a gram of 24K gold at a point in time (Decisions D4, D9). */
export interface MidPrice {
  readonly midTenThousandths: bigint;
  readonly asOfMs: number;
  /** Where it came from, for the book of prices; left out if there is nothing to say. */
  readonly origin?: PriceCame;
}

/** Where a price came from (Decision D95), in words that hold no secret. */
export interface PriceCame {
  /** The feed's host. */
  readonly origin: string;
  /** The number as it came. */
  readonly raw_value: string;
  readonly raw_unit: string;
  /** How it became riyals a gram; null if it was. */
  readonly conversion: string | null;
  /** Why it was accepted. */
  readonly accepted: string;
}

/** The kinds of price sources. */
export type PriceKind = "simulated" | "fixed" | "feed";

/** The price by which quotes are made now, or that there is none. */
export type LatestPrice =
  | ({ readonly ok: true; readonly source: PriceKind } & MidPrice)
  | { readonly ok: false; readonly code: "price_unavailable" };

/** A source of prices; it is asked for every quote, so it answers from memory. */
export interface PriceSource {
  /** The latest price; never one older than its age limit. */
  latest(nowMs: number): LatestPrice;
  /** Follows changed settings at once, if it has any. */
  refresh?(): Promise<void>;
  /** Stops timers and connections of the source, if it has any. */
  close?(): void;
}

/** There is no price that may be quoted. */
export const PRICE_UNAVAILABLE: LatestPrice = { ok: false, code: "price_unavailable" };

/** A price is used while it is at most this old, and not from the future beyond the clocks' slack. */
export function isCurrent(asOfMs: number, nowMs: number, maxAgeMs: number): boolean {
  return nowMs - asOfMs <= maxAgeMs && asOfMs - nowMs <= 1_000;
}
