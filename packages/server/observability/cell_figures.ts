import { setTimeout as pause } from "node:timers/promises";
import { type Database, mapConcurrently } from "@sabika/database";
import { type EndpointState, readEndpointStates } from "@sabika/service/delivery";
import { type BalanceRound, readBalanceRound } from "@sabika/service/ledger";
import { readReceiptLag } from "@sabika/service/receipts";

/** The figures of a cell other than control's own, at a scrape. */
export interface CellFigures {
  readonly cellId: string;
  /** Undefined while the cell cannot be used, or does not answer in time. */
  readonly known: {
    readonly endpoints: readonly EndpointState[];
    readonly balances: BalanceRound;
    /** Since when the oldest order waits for its receipt, epoch milliseconds. */
    readonly receiptSinceMs: number | undefined;
  } | undefined;
}

/** How long a scrape waits for a database that hangs: Prometheus gives up after five seconds. */
export const PATIENCE_MS = 2_000;

/** The cells other than control's own. */
export interface OtherCells {
  /** All configured cells; those that cannot be used now are not in `cells`. */
  readonly cellIds: readonly string[];
  readonly cells: ReadonlyMap<string, Database>;
  /** How long to wait for a cell; 2,000 by default. */
  readonly patienceMs?: number | undefined;
}

/** Reads the figures of the cells other than control's own, several at once. */
export function readCellFigures(
  { cellIds, cells, patienceMs = PATIENCE_MS }: OtherCells,
  nowMs: number,
): Promise<CellFigures[]> {
  return mapConcurrently(cellIds, async (cellId) => {
    const cell = cells.get(cellId);
    return { cellId, known: cell && await inTime(readCell(cell.sql, nowMs), patienceMs) };
  });
}

/** Reads the figures that each cell has of its own. */
export async function readCell(
  sql: Database["sql"],
  nowMs: number,
): Promise<NonNullable<CellFigures["known"]>> {
  const [endpoints, balances, receiptSinceMs] = await Promise.all([
    readEndpointStates(sql, nowMs),
    readBalanceRound(sql),
    readReceiptLag(sql),
  ]);
  return { endpoints, balances, receiptSinceMs };
}

/** The result of a promise; undefined when it fails or takes too long. */
export async function inTime<T>(reading: Promise<T>, patienceMs: number): Promise<T | undefined> {
  const ending = new AbortController();
  try {
    return await Promise.race([
      reading.catch(() => undefined),
      pause(patienceMs, undefined, { signal: ending.signal, ref: false }),
    ]);
  } finally {
    ending.abort();
  }
}
