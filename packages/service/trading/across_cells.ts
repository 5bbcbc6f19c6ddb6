import { type Following, readAtHome } from "../batches/moved.ts";
import type { Cells } from "../cells/cells.ts";
import type { Reading } from "./create_reading.ts";
import { createTradingOn, type Trading, type TradingRules } from "./create_trading.ts";
import { type CellWrites, writesAcross } from "./writes.ts";

/**
 * Combines the trading of all cells: each partner trades in its own cell (Decision D53), also after a
 * move. While a cell is away, its partners' promises are rejected with a `CellAwayError`.
 */
export function tradingAcross(cells: Cells<CellWrites>, parts: TradingRules & Following): Trading {
  return createTradingOn(writesAcross(cells, parts), parts);
}

/** What is read of one partner. */
export type PartnerReading = Omit<Reading, "lastSequences" | "isHome">;

/** Combines the reading of all cells: each partner's rows are read in its cell. */
export function readingAcross(
  cells: Cells<PartnerReading & Pick<Reading, "isHome">>,
  following: Following,
): PartnerReading {
  type Name = keyof PartnerReading;
  type Read = (query: object) => Promise<unknown>;
  const routed = (name: Name) => (query: { partnerId: number }) =>
    readAtHome(cells, query.partnerId, (home) => (home[name] as Read)(query), following);
  const names = Object.keys(cells.control).filter((name) => name !== "isHome") as Name[];
  return Object.fromEntries(names.map((name) => [name, routed(name)])) as unknown as PartnerReading;
}
