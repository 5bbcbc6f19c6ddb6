import { setTimeout as pause } from "node:timers/promises";
import type { Environment } from "@sabika/protocol";
import { type Cells, mapCells } from "@sabika/service/cells";
import type { PriceSource } from "@sabika/service/prices";
import { createReceiptFinder, type ReceiptSigner } from "@sabika/service/receipts";
import { createReading, createWrites, readingAcross, tradingAcross } from "@sabika/service/trading";
import { createEventStreams, eventStreamsAcross } from "./event_streams.ts";
import type { Metrics } from "./observability/metrics.ts";
import type { ServiceDatabases } from "./open_databases.ts";

/** Combines what partners do and read, each in its own cell. */
export function serveCells(
  cells: Cells<ServiceDatabases>,
  { prices, random, now, observe, environment, signer, onError, refresh }: {
    readonly prices: PriceSource;
    readonly random: (length: number) => Uint8Array;
    /** Epoch milliseconds. */
    readonly now: () => number;
    readonly observe: Pick<Metrics, "batch">;
    readonly environment: Environment;
    readonly signer: ReceiptSigner;
    readonly onError: (name: string, error: unknown) => void;
    /** Refreshes the register, which names the cells of partners. */
    readonly refresh: () => Promise<void>;
  },
) {
  const following = { refresh, pause: (ms: number) => pause(ms) };
  const readings = mapCells(cells, (cell) =>
    createReading({
      database: cell.reading,
      statementsDatabase: cell.statements,
      environment,
      now,
      findReceipt: createReceiptFinder({
        reading: cell.reading,
        making: { database: cell.trading, signer },
      }),
    }));
  return {
    trading: tradingAcross(
      mapCells(cells, ({ trading: database }) => createWrites({ database, now, observe })),
      { prices, random, now, ...following },
    ),
    reading: readingAcross(readings, following),
    eventStreams: eventStreamsAcross(
      mapCells(readings, (reading) => createEventStreams({ reading, now, onError })),
    ),
  };
}
