import { setTimeout as pause } from "node:timers/promises";
import { assert } from "@std/assert";
import { type Database, openDatabase } from "@sabika/database";
import { createCells, mapCells } from "@sabika/service/cells";
import {
  createMoveKeeper,
  findOpenMove,
  holdMoves,
  type MoveClocks,
  movePartner,
} from "@sabika/service/moving";
import { setFixedPrice } from "./fixed_price.ts";
import { createWrites, tradingAcross } from "@sabika/service/trading";
import { admitByCommand, openTestCells } from "./test_cells.ts";
import { random } from "./random.ts";
import { until } from "./until.ts";
import { registerTestKey, type TestPartner, testPartner } from "./test_partner.ts";

type Sabika = Awaited<ReturnType<typeof openTestCells>>["sabika"];

/** An acknowledged order with its command. */
interface Answered {
  readonly orderId: string;
  readonly command: ReturnType<ReturnType<typeof testPartner>["order"]>;
}

/** Opens control, a cell `b` and a partner in control's own cell, which trades wherever its home is. */
export async function openMovingPartner() {
  const { control, cell, sabika, env, close } = await openTestCells();
  const partnerId = await admitMover(control.database, sabika);
  const { sql } = control.database;

  let known = "main";
  const cells = createCells(control.app, () => known);
  cells.add("b", cell.app);
  const refresh = async () => {
    const [row] = await sql<{ cell: string }[]>`
      select cell_id as cell from partners where partner_id = ${partnerId}`;
    known = row!.cell;
  };
  const trading = tradingAcross(
    mapCells(cells, (database) => createWrites({ database, now: Date.now })),
    {
      random,
      now: Date.now,
      refresh,
      pause: (ms: number) => pause(ms),
      prices: await setFixedPrice([control.database, cell.database], 4_000_000n),
    },
  );
  await registerTestKey(control.database.sql, partnerId);
  const bank = testPartner(partnerId, { openQuotesLimit: 1_000 });
  const { trade, answered, refused } = traderOf(trading, bank);

  const movers = openMovers({ control, cell, partnerId });

  return {
    ...movers,
    control,
    cell,
    sabika,
    /** The environment of the operator's command. */
    env,
    async close() {
      await movers.close();
      await close();
    },
    partnerId,
    trade,
    answered,
    refused,
    /** Trades with several callers, each with a pause after an order, while `body` runs. */
    async whileTrading<T>(callers: number, body: () => Promise<T>, pauseMs = 0): Promise<T> {
      let isOver = false;
      const trades = Array.from({ length: callers }, () => trade(() => isOver, pauseMs));
      try {
        return await body();
      } finally {
        isOver = true;
        await Promise.all(trades);
      }
    },
    /** Returns the ids of the cells that have the partner's accounts. */
    async homes(): Promise<string[]> {
      const homes: string[] = [];
      for (const [name, { database }] of [["main", control], ["b", cell]] as const) {
        const found = await database.sql`select from accounts where partner_id = ${partnerId}`;
        if (found.length === 1) homes.push(name);
      }
      return homes;
    },
    /** Asserts that the partner's home cell has exactly the acknowledged orders, each once and by its key. */
    async assertNothingLost(): Promise<void> {
      const [home, ...others] = await this.homes();
      assert(home !== undefined && others.length === 0, `homes: ${home} ${others}`);
      const { database } = home === "main" ? control : cell;
      // In either cell an order names the version of its pool (D102).
      const [row] = await database.sql<{ orders: number; events: number }[]>`
        select (select count(*)::int from orders join pool_versions on version_id = pool_version_id
            where partner_id = ${partnerId}) as orders,
          (select count(*)::int from events
            where partner_id = ${partnerId} and type = 'order.executed') as events`;
      assert(
        row!.orders === answered.length && row!.events === answered.length,
        `answered ${answered.length}, there are ${JSON.stringify(row)}`,
      );
      assert(new Set(answered.map(({ orderId }) => orderId)).size === answered.length);
      await refresh();
      for (const { orderId, command } of answered.slice(-20)) {
        const nonce = { ...command.nonce, value: crypto.randomUUID() };
        const repeated = await trading.order({ ...command, nonce });
        assert(repeated.ok && repeated.replayed && repeated.value.id === orderId, orderId);
        const stolen = await trading.order({ ...command, idempotencyKey: crypto.randomUUID() });
        assert(!stolen.ok && stolen.code === "nonce_reused", orderId);
      }
      const { differences } = await sabika<{ differences: unknown[] }>("reconcile", "--full");
      assert(differences.length === 0, JSON.stringify(differences));
    },
  };
}

/** Opens the databases as an office does, to move the partner. */
function openMovers(
  { control, cell, partnerId }:
    & Pick<Awaited<ReturnType<typeof openTestCells>>, "control" | "cell">
    & { partnerId: number },
) {
  const [ofControl, ofCell] = [control, cell].map(({ urlAs }) =>
    openDatabase(urlAs("sabika_operator"))
  );
  /** Why moves could not go on. */
  const failures: string[] = [];
  const place = {
    control: ofControl!,
    databaseOf: (name: string) => Promise.resolve(name === "main" ? ofControl! : ofCell!),
    now: Date.now,
    monotonic: () => performance.now(),
    pause: (ms: number) => pause(ms),
    onFailed: (_move: unknown, error: unknown) => void failures.push(String(error)),
  };
  return {
    failures,
    place,
    /** Carries out the recorded move as the command does, and calls `onStep` before each step. */
    async carryOut(onStep: MoveClocks["onStep"]) {
      const held = await holdMoves(place, partnerId);
      try {
        const move = await findOpenMove(held.control, partnerId);
        return await movePartner(held, { ...place, onStep: onStep! }, move!);
      } finally {
        held.end();
      }
    },
    /** What looks for moves that nobody carries out, as in an office. */
    createKeeper: () => createMoveKeeper(place),
    /** Looks again and again, as an office does, until no move is open. */
    async resume(): Promise<void> {
      const keeper = createMoveKeeper(place);
      await until(
        async () => {
          await keeper.look();
          return await findOpenMove(control.database.sql, partnerId) === undefined;
        },
        60_000,
        "no move is open",
        100,
      );
      await keeper.stop();
    },
    async close(): Promise<void> {
      await Promise.all([ofControl!.close(), ofCell!.close()]);
    },
  };
}

/** Admits a partner to control's own cell, with gold and money; returns its id. */
async function admitMover({ sql }: Database, sabika: Sabika): Promise<number> {
  await admitByCommand(sabika, { clientId: "mover", barGrams: 10_000 });
  await sabika("vault", "allocate", "mover", "9000");
  await sabika("funding", "credit", "mover", "4000000", "--reference", "FT-1");
  const [partner] = await sql<{ id: number }[]>`select partner_id as id from partners`;
  return partner!.id;
}

/** Trades as the partner, and keeps the outcomes. */
function traderOf(trading: ReturnType<typeof tradingAcross>, bank: TestPartner) {
  const answered: Answered[] = [];
  /** Codes of the quotes and orders that were refused. */
  const refused: string[] = [];
  return {
    answered,
    refused,
    /** Requests a quote and orders it, again and again, until `isOver` returns true. */
    async trade(isOver: () => boolean, pauseMs = 0): Promise<void> {
      while (!isOver()) {
        if (pauseMs > 0) await pause(pauseMs);
        const quote = await trading.quote(bank.quote({ goldMicrograms: 10_000n }));
        if (!quote.ok) {
          refused.push(quote.code);
          continue;
        }
        const command = bank.order(quote.value.id);
        const order = await trading.order(command);
        if (order.ok) answered.push({ orderId: order.value.id, command });
        else refused.push(order.code);
      }
    },
  };
}
