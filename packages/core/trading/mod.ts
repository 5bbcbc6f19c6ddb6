/** Prices, quotes, orders, withdrawals and funding. */
export type {
  CancelCommand,
  Command,
  FundCommand,
  OrderCommand,
  QuoteCommand,
  SignedCommand,
  TradingPartner,
  WithdrawCommand,
} from "./commands.ts";
export { type PartnerReading, readingAcross, tradingAcross } from "./across_cells.ts";
export { bookOpenActs } from "./book_act.ts";
export { createTrading, type Trading, UnavailableError } from "./create_trading.ts";
export { createReading, type Reading } from "./create_reading.ts";
export { createWrites } from "./writes.ts";
export { readOpenActs } from "./open_acts.ts";
export { digestKeys } from "./digest_keys.ts";
export { countNoncePartitions, maintainNoncePartitions } from "./nonce_partitions.ts";
export type { PriceSource } from "./prices/price_source.ts";
export { createFixedPrice } from "./prices/fixed.ts";
export { createConfiguredPrices } from "./prices/configured_prices.ts";
export { FEED_DEFAULTS, feedUrlForPeople, readFeedSettings } from "./prices/feed_settings.ts";
export { askFeed } from "./prices/http_feed.ts";
export { notePrice, type PriceSpan, readPriceSpans } from "./prices/price_minutes.ts";
export {
  type PriceOrigin,
  type PriceSettings,
  readPriceSettings,
  setPriceOrigin,
} from "./prices/price_settings.ts";
export type { TradingSettings } from "./trading_settings.ts";
