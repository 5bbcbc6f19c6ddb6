/** Prices quotes by the partner's terms: spread, fee, VAT and rounding. */
export { goldForMoney } from "./gold_for_money.ts";
export { buyPrice, priceQuote, type QuoteTerms, sellPrice } from "./price_quote.ts";
export type { TradingSettings } from "./trading_settings.ts";
