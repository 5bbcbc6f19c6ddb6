/** The partner's own terms (Decisions D2, D6, D8, D10). */
export interface TradingSettings {
  readonly quoteMinMicrograms: bigint;
  readonly quoteMaxMicrograms: bigint;
  readonly openQuotesLimit: number;
  /** How far the buy and the sell price lie from the mid price, each. */
  readonly spreadPpm: bigint;
  readonly feePpm: bigint;
  /** Zero when left out (Decision D8). */
  readonly vatPpm?: bigint;
}
