/** The mid price of a gram of 24K gold at a point in time (Decisions D4, D9). */
export interface MidPrice {
  readonly midTenThousandths: bigint;
  readonly asOfMs: number;
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
  /** Stops timers and connections of the source, if it has any. */
  close?(): void;
}

/** There is no price that may be quoted. */
export const PRICE_UNAVAILABLE: LatestPrice = { ok: false, code: "price_unavailable" };

/** A price is used while it is at most this old, and not from the future beyond the clocks' slack. */
export function isCurrent(asOfMs: number, nowMs: number, maxAgeMs: number): boolean {
  return nowMs - asOfMs <= maxAgeMs && asOfMs - nowMs <= 1_000;
}
