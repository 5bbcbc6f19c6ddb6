/** Where a price comes from (simulated, fixed, feed) and when it is accepted. */
export { createConfiguredPrices } from "./configured_prices.ts";
export { FEED_DEFAULTS, feedUrlForPeople, readFeedSettings } from "./feed_settings.ts";
export { createFixedPrice } from "./fixed.ts";
export { askFeed } from "./http_feed.ts";
export { createPriceHistory, type PriceHistoryReader, readPriceSpans } from "./price_history.ts";
export { maintainPricePartitions } from "./price_partitions.ts";
export {
  openPriceSettings,
  pausePrices,
  type PriceOrigin,
  type PriceSettings,
  readPriceSettings,
  readStoredPriceSettings,
  setPriceOrigin,
  type StoredPriceSettings,
} from "./price_settings.ts";
export type { PriceSource } from "./price_source.ts";
export { beginPriceScenario } from "./scenario_price.ts";
export { listRefusedPrices, recordPrice, type RefusedPriceRow } from "./record_price.ts";
export { prices, priceSettings } from "./tables.ts";
