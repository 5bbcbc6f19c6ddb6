/** The partner's terms of trading, and what it pays and gets for a gram by them. */
export type { TradingSettings } from "./trading_settings.ts";
export { buyPrice, sellPrice } from "./unit_prices.ts";
