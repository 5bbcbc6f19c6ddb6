/** What the operator sees across all partners: for the console, beside what each room lists itself. */
export {
  type CellDifference,
  type CellDifferenceKind,
  compareCell,
  summariseDifferences,
} from "./compare_cell.ts";
export { findOrder } from "./find_order.ts";
export { findOwner } from "./find_owner.ts";
export {
  type AwayCell,
  type Databases,
  type FromCells,
  type InCells,
  inCells,
} from "./in_cells.ts";
export { isAway } from "./is_away.ts";
export { type DaysBalances, listDays, MOST_DAYS } from "./list_days.ts";
export { type FundingOf, listFundings } from "./list_fundings.ts";
export { listPartners, type PartnerName } from "./list_partners.ts";
export { listQuotesOfAll, type QuoteFilter, type QuoteOf } from "./list_quotes.ts";
export { listWithdrawalsOfAll, type WithdrawalFilter } from "./list_withdrawals.ts";
export { listTrades, type Trade, type TradeFilter } from "./list_trades.ts";
export type { FilterOfAll } from "./newest_of_all.ts";
export type { PartOfAll } from "./page_of_all.ts";
export { type EventStory, readEventStory, readQuoteOf } from "./read_owned.ts";
export { mendCell, type Mended, recordMending } from "./mend_cell.ts";
export { readBalanceRounds } from "./read_balance_rounds.ts";
export { recountBooks, recountPartner } from "./recount_books.ts";
export { createTradedHours, HOUR_MS, type TradedHour } from "./traded_hours.ts";
export { readTradeStory, type TradeCheck, type TradeStory } from "./trade_story.ts";
