/** The business, without HTTP. */

// store
export { type Database, type DatabaseOptions, openDatabase, type Sql } from "./store/database.ts";
export { isPrivateWay, readDatabaseUrl } from "./store/database_url.ts";
export { migrate } from "./store/migrate.ts";
export {
  type Embedded,
  type EmbeddedOptions,
  findEmbedded,
  startEmbedded,
} from "./store/embedded.ts";
export { type Durability, durability } from "./store/durability.ts";
export { classifyFailure, type Failure } from "./store/failure.ts";
export type { Listing, ListQuery } from "./store/list_query.ts";

// network
export { createLookup, lookup, type LookupOptions } from "./network/lookup.ts";
export { isLoopbackHost } from "./network/loopback_host.ts";
export { createPlainFetch, type PlainFetch, plainFetch } from "./network/plain_fetch.ts";

// ledger
export { openAccounts } from "./ledger/open_accounts.ts";
export { type NewTransfer, postTransfer } from "./ledger/post_transfer.ts";
export { type Difference, reconcile } from "./ledger/reconcile.ts";
export { type BalanceDifference, checkBalances } from "./ledger/check_balances.ts";
export type { OpenStatement } from "./ledger/statement.ts";
export { statementCsvStream, statementJsonStream } from "./ledger/statement_text.ts";

// trading
export type {
  Command,
  FundCommand,
  OrderCommand,
  QuoteCommand,
  SignedCommand,
  SignedNonce,
  TradingPartner,
  TradingSettings,
  WithdrawCommand,
} from "./trading/commands.ts";
export {
  type BatchKind,
  createTrading,
  type Trading,
  type TradingParts,
  UnavailableError,
} from "./trading/create_trading.ts";
export { type CreditedFunding, creditFunding } from "./trading/credit_funding.ts";
export {
  type SettledWithdrawal,
  settleWithdrawal,
  type WithdrawalStep,
} from "./trading/settle_withdrawal.ts";
export { createReading, type Reading, type ReadingParts } from "./trading/create_reading.ts";
export type { KnownKey } from "./trading/find_idempotency_key.ts";
export { buyPrice, priceQuote, type QuoteTerms, sellPrice } from "./trading/price_quote.ts";
export {
  isCurrent,
  type LatestPrice,
  type MidPrice,
  PRICE_UNAVAILABLE,
  type PriceSource,
} from "./trading/prices/price_source.ts";
export { createFixedPrice, type FixedPriceSettings } from "./trading/prices/fixed.ts";
export { createSimulatedPrice, type SimulatedPriceSettings } from "./trading/prices/simulated.ts";

// trading: prices as the operator set them
export {
  type ConfiguredPrices,
  createConfiguredPrices,
} from "./trading/prices/configured_prices.ts";
export {
  FEED_DEFAULTS,
  type FeedSettings,
  feedUrlForPeople,
  readFeedSettings,
} from "./trading/prices/feed_settings.ts";
export { askFeed } from "./trading/prices/http_feed.ts";
export {
  pausePrices,
  type PriceOrigin,
  type PriceSettings,
  readPriceSettings,
  setPriceOrigin,
} from "./trading/prices/price_settings.ts";

// partners
export * from "./partners/mod.ts";

// vault
export * from "./vault/mod.ts";

// webhooks
export {
  createWebhookWorker,
  type WebhookWorker,
  type WebhookWorkerOptions,
} from "./webhooks/worker.ts";
export { requestRedelivery } from "./webhooks/redelivery.ts";

// bank
export * from "./bank/mod.ts";
