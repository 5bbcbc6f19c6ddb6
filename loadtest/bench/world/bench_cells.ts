import { setTimeout as pause } from "node:timers/promises";
import { type Database, openDatabase } from "@sabika/database";
import { createCells, mapCells } from "@sabika/service/cells";
import { createFixedPrice } from "@sabika/service/prices";
import { migrate } from "@sabika/service/schema";
import { createTrading, createWrites, type Trading, tradingAcross } from "@sabika/service/trading";
import { type RunningPostgreSQL, runPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import type { Progress } from "../progress.ts";
import { random } from "../random.ts";
import { childrenOf, processTime } from "./cpu_time.ts";
import { givePlenty } from "./give_plenty.ts";
import { makeQuotes } from "./quotes.ts";
import { tradeOrders } from "./trade_orders.ts";

/** A cell of the bench: a PostgreSQL server and its partners. */
interface BenchCell {
  postgresql: RunningPostgreSQL;
  database: Database;
  partnerIds: readonly number[];
}

/** The result of a run in some cells. */
export interface CellsRun {
  /** Orders per second in all these cells. */
  perSecond: number;
  /** Processor time of the database servers' child processes, per order. */
  microseconds: number;
}

const PARTNERS = 25;
const IN_FLIGHT = 64;
const MOST_ORDERS_A_SECOND = 12_000;
const SETTINGS = { shared_buffers: "256MB", max_wal_size: "8GB", checkpoint_timeout: "1h" };

/** Cells, each on its own durable PostgreSQL, with trading across them. */
export interface BenchCells {
  /** Trades in the first `count` cells: 64 orders in flight in each, at most 12,000 a second; none refused. */
  run(count: number, seconds: number): Promise<CellsRun>;
  /** Trades in the first cell as in a deployment without cells. */
  runWithoutCells(seconds: number): Promise<CellsRun>;
  close(): Promise<void>;
}

/** Starts the cells; if one fails to start, ends the others and throws. */
export async function startBenchCells(count: number, progress: Progress): Promise<BenchCells> {
  const cells: BenchCell[] = [];
  const close = async () => {
    for (const { database, postgresql } of cells) {
      await database.close();
      await postgresql.stop();
    }
  };
  try {
    for (let index = 0; index < count; index++) {
      progress.say(`starting PostgreSQL of cell ${index + 1} of ${count}`);
      cells.push(await startCell(index));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const nameOf = (index: number) => index === 0 ? "main" : `cell_${index}`;
  const routed = createCells(
    cells[0]!.database,
    (partnerId) => nameOf(Math.floor((partnerId - 1) / PARTNERS)),
  );
  cells.slice(1).forEach(({ database }, index) => routed.add(nameOf(index + 1), database));
  const prices = createFixedPrice({ midTenThousandths: 4_850_000n });
  const rules = { prices, random, now: Date.now };
  const across = tradingAcross(
    mapCells(routed, (database) => createWrites({ database, now: Date.now })),
    { ...rules, refresh: () => Promise.resolve(), pause: (ms) => pause(ms) },
  );
  const withoutCells = createTrading({ ...rules, database: cells[0]!.database });

  const run = async (
    chosen: readonly BenchCell[],
    trading: Trading,
    seconds: number,
  ): Promise<CellsRun> => {
    const quotes = await Promise.all(
      chosen.map(({ database, partnerIds }) =>
        makeQuotes(database.sql, partnerIds, MOST_ORDERS_A_SECOND * seconds)
      ),
    );
    const time = () =>
      chosen.flatMap(({ postgresql }) => childrenOf(postgresql.pid))
        .reduce((sum, { pid }) => sum + processTime(pid), 0);
    const before = time();
    const runs = await Promise.all(chosen.map(({ partnerIds }, index) =>
      tradeOrders({
        trading,
        partnerIds,
        quotes: quotes[index]!,
        inFlight: IN_FLIGHT,
        seconds,
      })
    ));
    const microseconds = time() - before;
    const orders = runs.reduce((sum, { done }) => sum + done, 0);
    return {
      perSecond: runs.reduce((sum, { done, seconds }) => sum + done / seconds, 0),
      microseconds: microseconds / orders,
    };
  };

  return {
    run: (count, seconds) => run(cells.slice(0, count), across, seconds),
    runWithoutCells: (seconds) => run(cells.slice(0, 1), withoutCells, seconds),
    close,
  };
}

async function startCell(index: number): Promise<BenchCell> {
  const postgresql = await runPostgreSQL({ durable: true, settings: SETTINGS });
  const database = openDatabase(postgresql.socketUrl, { maxConnections: 8 });
  try {
    await migrate(database);
    const rows = await database.sql<{ id: number }[]>`
      insert into partners (partner_id, client_id, name, settlement_iban) overriding system value
      select n, 'bank-' || n, 'Bank ' || n, 'SA0380000000608010167519'
      from generate_series(${index * PARTNERS + 1}::integer, ${(index + 1) * PARTNERS}::integer) n
      returning partner_id as id`;
    for (const { id } of rows) await database.sql`select open_accounts(${id})`;
    await givePlenty(database);
    return { postgresql, database, partnerIds: rows.map(({ id }) => id) };
  } catch (error) {
    await database.close();
    await postgresql.stop();
    throw error;
  }
}
