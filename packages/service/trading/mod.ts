/** Combines the rooms: what partners can do, and what they can read. */
export { type PartnerReading, readingAcross, tradingAcross } from "./across_cells.ts";
export { createReading, type Reading } from "./create_reading.ts";
export { createTrading, type Trading, UnavailableError } from "./create_trading.ts";
export { createWrites } from "./writes.ts";
