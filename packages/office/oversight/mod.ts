/** Reads of the operator across all partners: lists, one trade's story, sums by the hour. */
export { openEvidence } from "./export_evidence.ts";
export { findOrder } from "./find_order.ts";
export { type AwayCell, type InCells, inCells } from "./in_cells.ts";
export { listPartners, type PartnerName } from "./list_partners.ts";
export { listQuotesOfAll } from "./list_quotes.ts";
export { listTrades } from "./list_trades.ts";
export type { FilterOfAll } from "./list_of_all.ts";
export { type CellBalanceRound, readBalanceRounds } from "./read_balance_rounds.ts";
export type { ChecklistItem, ChecklistStep } from "./checklist.ts";
export { readChecklist } from "./read_checklist.ts";
export type { EventStory } from "./read_owned.ts";
export { readTradeStory, type TradeCheck, type TradeStory } from "./trade_story.ts";
export type { Hit } from "./hit.ts";
export { searchCell, searchControl, SEARCHED_DAYS } from "./search.ts";
export { writeEvidenceFile } from "./write_evidence_file.ts";
export { createTradedHours, HOUR_MS, type TradedHour, type TradedHours } from "./traded_hours.ts";
