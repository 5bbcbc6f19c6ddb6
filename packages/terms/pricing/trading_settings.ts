/** The partner's own terms (Decisions D2, D6, D8, D10). */
export interface TradingSettings {
  readonly quoteMinMicrograms: bigint;
  readonly quoteMaxMicrograms: bigint;
  readonly openQuotesLimit: number;
  /** The distance of both the buy and the sell price from the mid price. */
  readonly spreadPpm: bigint;
  readonly feePpm: bigint;
  /** Zero when left out (Decision D8). */
  readonly vatPpm?: bigint;
}
