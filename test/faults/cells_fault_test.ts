/** F83: on a stack with cells, one cell's PostgreSQL dies under load, and then control's. */
import { after, before, test } from "node:test";
import process from "node:process";
import { assert, assertEquals } from "@std/assert";
import { openKit } from "@sabika/client";
import { openDatabase } from "@sabika/database";
import { runOperator } from "../support/run_operator.ts";
import {
  type AskedOrder,
  clientWithoutRepeats,
  startOrderLoad,
} from "../support/stack/order_load.ts";
import {
  openTestStack,
  stackEnvironment,
  type TestStack,
} from "../support/stack/stack_for_tests.ts";
import { until } from "../support/until.ts";

let opened: TestStack;
before(async () => void (opened = await openTestStack({ cells: 2, partners: 2 })));
after(() => opened?.close());

const PATIENCE_MS = 60_000;
const kitOf = (partner: number) => opened.stack.kits[partner - 1]!;
const answered = (orders: readonly AskedOrder[]) =>
  orders.filter(({ orderId }) => orderId !== undefined).length;

/** What a partner may read in the answers while its database is away. */
const AWAY = /^(service_unavailable 503|outcome_unknown 50[34]) /;

/** Orders of a partner, until enough more than now are answered. */
async function untilMore({ orders }: { orders: readonly AskedOrder[] }): Promise<void> {
  const before = answered(orders);
  await until(() => answered(orders) >= before + 20, PATIENCE_MS);
}

/** Asks again for what was not answered, under its key; then the cell has what was acknowledged, once. */
async function settle(partner: number, orders: readonly AskedOrder[]): Promise<void> {
  const client = clientWithoutRepeats(await openKit(kitOf(partner)));
  for (const asked of orders.filter(({ orderId }) => orderId === undefined)) {
    const { quoteId, key } = asked;
    const order = await client.order({ quoteId }, { idempotencyKey: key })
      .catch((error: { code?: string }) => error.code);
    if (typeof order === "object") asked.orderId = order.id;
    else assertEquals(order, "quote_expired");
  }
  await client.close();
  const { socketUrl } = opened.stack.cells.get(`cell_${partner}`)!;
  const cell = openDatabase(socketUrl, { maxConnections: 1 });
  const rows = await cell.sql<{ id: string }[]>`select order_id as id from orders`;
  await cell.close();
  assertEquals(rows.length, answered(orders));
}

interface Killed {
  readonly pid: number;
  readonly socketUrl: string;
}

/**
 * Killed from outside, it is started again by the stack: so soon that perhaps no call has met it
 * dead. While it recovers it takes no sessions, and answers that were on their way still come.
 */
async function killedBackByItself(postgresql: Killed): Promise<void> {
  const before = postgresql.pid;
  process.kill(before, "SIGKILL");
  const database = openDatabase(postgresql.socketUrl, { maxConnections: 1 });
  await until(async () => {
    try {
      if (postgresql.pid === before) return false;
      await database.sql`select 1`;
      return true;
    } catch {
      // It does not run, or recovers.
      return false;
    }
  }, PATIENCE_MS);
  await database.close();
}

async function reconcile(): Promise<void> {
  const { code, stdout, stderr } = await runOperator(
    ["reconcile", "--full"],
    stackEnvironment(opened),
  );
  assertEquals(code, 0, stdout + stderr);
}

test("a cell that dies refuses its own partners alone, and comes back by itself (F83)", async () => {
  const { stack } = opened;
  const [dying, other] = [await startOrderLoad(kitOf(1)), await startOrderLoad(kitOf(2))];
  await Promise.all([untilMore(dying), untilMore(other)]);

  const cell = stack.cells.get("cell_1")!;
  await cell.kill();
  await until(() => dying.failures.length >= 20, PATIENCE_MS);
  await untilMore(other);
  const client = clientWithoutRepeats(await openKit(kitOf(2)));
  assertEquals((await client.health()).status, "ok");
  await client.close();
  await cell.restart();
  await untilMore(dying);

  await killedBackByItself(cell);
  await untilMore(dying);

  await Promise.all([dying.stop(), other.stop()]);
  assertEquals(other.failures, []);
  assertEquals(dying.failures.filter((failure) => !AWAY.test(failure)), []);
  await settle(1, dying.orders);
  await settle(2, other.orders);
  await reconcile();
});

test("without control nobody is served, nothing is lost, and all of it comes back (F83)", async () => {
  const { stack } = opened;
  const loads = [await startOrderLoad(kitOf(1)), await startOrderLoad(kitOf(2))];
  await Promise.all(loads.map(untilMore));
  await stack.postgresql.kill();
  await Promise.all(
    loads.map(({ failures }) => until(() => failures.length > 0, PATIENCE_MS)),
  );
  await stack.postgresql.restart();
  await Promise.all(loads.map(untilMore));

  await killedBackByItself(stack.postgresql);
  await Promise.all(loads.map(untilMore));
  await Promise.all(loads.map((load) => load.stop()));
  for (const { failures } of loads) {
    assertEquals(failures.filter((failure) => !AWAY.test(failure)), []);
  }
  // The copies go on too: an act needs them.
  const released = await runOperator(
    ["vault", "release", "partner-1", "1", "--yes"],
    stackEnvironment(opened),
  );
  assert(released.code === 0, released.stderr);
  await reconcile();
});
