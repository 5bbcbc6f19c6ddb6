/** F06, F08, F09, F11, part of F27: a database that crashes, hangs, refuses and comes back. */
import { after, before, test, type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { type Caller, idOf, type WriteKind } from "../support/history/caller.ts";
import { chanceOf, drawSeed } from "../support/history/chance.ts";
import { startWorkload, type Workload } from "../support/history/workload.ts";
import { sized } from "../support/sized.ts";
import { until } from "../support/until.ts";
import { type FaultPoints, installFaultPoints } from "./fault_points.ts";
import { crash, signalAll } from "./postgresql_processes.ts";
import { checkAnswers, openWorld, type World } from "./world.ts";

const seed = drawSeed();
const chance = chanceOf(seed);
let world: World;
let banks: Caller[];
let points: FaultPoints;

before(async () => {
  world = await openWorld();
  points = await installFaultPoints(world.database);
  banks = [await world.admit(), await world.admit()];
});
after(() => world?.close());

/** Disturbs the database under load, and checks that all partners trade again and the books agree. */
async function underLoad(
  t: TestContext,
  workers: number,
  disturb: (load: Workload) => Promise<void>,
): Promise<void> {
  const { history } = world;
  const callers = await world.admitRich(2);
  const load = startWorkload({ history, callers, workers, seed });
  try {
    await until(() => load.ordered >= 10, 20_000, "orders flow");
    await disturb(load);
    t.diagnostic(`trading again after ${await world.tradeAgain(banks)} ms`);
  } finally {
    await load.stop();
  }
  checkAnswers(history, callers);
  await world.check();
}

test("a database that crashes under load loses no acknowledged order (F06)", async (t) => {
  await underLoad(t, 8, async (load) => {
    for (let count = 0; count < sized(5, 10); count++) {
      const orderedBefore = load.ordered;
      await until(() => load.ordered >= orderedBefore + 20, 20_000, "orders flow");
      await crash(world.postgresql);
      await pause(chance.below(1_500));
      await world.postgresql.restart();
      await world.tradeAgain(banks);
    }
  });
});

test("while the database hangs answers are 503 in time, and trading continues afterwards (F08)", async (t) => {
  const beganMs = Date.now();
  await underLoad(t, 8, async () => {
    signalAll(world.postgresql, "SIGSTOP");
    try {
      await pause(2_000);
      for (const endMs = Date.now() + sized(11_000, 30_000); Date.now() < endMs; await pause(500)) {
        for (const target of ["/health", "/v1/balances"]) {
          for (const instance of [0, 1]) {
            const reply = await banks[0]!.get(target, { instance, timeoutMs: 15_000 });
            assertEquals(reply.status, 503, `${target}: ${reply.status} ${reply.code}`);
          }
        }
      }
    } finally {
      signalAll(world.postgresql, "SIGCONT");
    }
  });
  const durations = world.history.calls.filter(({ startMs }) => startMs >= beganMs)
    .map(({ startMs, endMs }) => endMs - startMs);
  const longest = Math.max(...durations);
  t.diagnostic(`the longest call took ${longest} ms`);
  assert(longest < 15_000, `a caller waited ${longest} ms`);
});

test("a read in flight when the database begins to hang ends in time (F08)", async () => {
  const locker = await world.database.sql.reserve();
  await locker`begin`;
  await locker`lock table orders in access exclusive mode`;
  const reply = await banks[0]!.get("/v1/orders", { timeoutMs: 25_000 });
  await locker`rollback`;
  locker.release();
  assertEquals(reply.status, 503, `${reply.code} after ${reply.ms} ms`);
  await world.tradeAgain(banks);
});

test("connections that become silent are closed (F27)", async (t) => {
  await underLoad(t, 4, async () => world.links[0]!.freeze(false));
});

const WRITES: [WriteKind, string][] = [
  ["fund", '{"amount_sar":1}'],
  ["quote", '{"side":"buy","gold_grams":1}'],
  ["withdrawal", '{"amount_sar":1}'],
  ["order", `{"quote_id":"qt_${crypto.randomUUID()}"}`],
  ["probe", "{}"],
];

test("while the database takes no writes answers are 503, and health reports it (F09)", async (t) => {
  const set = async (value: "on" | "off") => {
    const session = await world.database.sql.reserve();
    await session`set default_transaction_read_only = off`;
    await session.unsafe(`alter system set default_transaction_read_only = ${value}`).simple();
    await session`select pg_reload_conf()`;
    session.release();
  };
  const isHealth = async (status: number) =>
    (await Promise.all([0, 1].map((instance) => banks[0]!.get("/health", { instance }))))
      .every((reply) => reply.status === status);
  await underLoad(t, 4, async () => {
    await set("on");
    try {
      await pause(200);
      for (const [kind, body] of WRITES) {
        const reply = await banks[0]!.write(kind, body, { instance: chance.below(2) });
        const answer = [reply.status, reply.code, reply.retryAfter !== undefined];
        assertEquals(answer, [503, "service_unavailable", true], `${kind}: ${reply.body}`);
      }
      await until(() => isHealth(503), 10_000, "health reports it");
    } finally {
      await set("off");
    }
    await until(() => isHealth(200), 30_000, "health is well again");
  });
});

test("serialization failures and deadlocks are retried internally, with the same nonce (F11)", async () => {
  const [caller] = await world.admitRich(1);
  const bodyFor = async (kind: WriteKind): Promise<string> => {
    if (kind === "quote") return '{"side":"buy","gold_grams":0.5}';
    if (kind !== "order") return '{"amount_sar":1.25}';
    return `{"quote_id":"${idOf(await caller!.write("quote", await bodyFor("quote")))}"}`;
  };
  for (const kind of ["order", "withdrawal", "fund", "quote"] as const) {
    const keys = kind === "order" || kind === "quote" ? "trade_keys" : "idempotency_keys";
    for (const action of ["40001", "40P01"] as const) {
      const body = await bodyFor(kind);
      await points.arm(keys, action, 3);
      const reply = await caller!.write(kind, body);
      assertEquals(
        [reply.status, reply.isReplay],
        [201, false],
        `${kind} ${action}: ${reply.code}`,
      );
      assertEquals(await points.met(), 3);

      const nextBody = await bodyFor(kind);
      await points.arm(keys, action, 1_000);
      const key = crypto.randomUUID();
      const refused = await caller!.write(kind, nextBody, { key });
      assertEquals([refused.status, refused.code], [503, "service_unavailable"], refused.body);
      assert(refused.ms < 10_000 && refused.retryAfter !== undefined, `${refused.ms} ms`);
      await points.disarm();
      const done = await caller!.write(kind, nextBody, { key });
      assertEquals([done.status, done.isReplay], [201, false], `${kind} after ${action}`);
    }
  }
  await world.check();
});
