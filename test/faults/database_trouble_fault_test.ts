/** F06 to F09, F11, part of F27: a database that crashes, hangs, refuses and comes back. */
import { after, before, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { sized } from "../support/sized.ts";
import { type Caller, idOf, type WriteKind } from "./caller.ts";
import { type FaultPoints, installFaultPoints } from "./fault_points.ts";
import { History } from "./history.ts";
import { findBreaches, watchInvariants } from "./invariants.ts";
import { type Load, percentile, startLoad } from "./load.ts";
import { checkReplies, tradeAgain } from "./outage.ts";
import { crash, signalAll } from "./postgresql_processes.ts";
import { seeded } from "./seeded.ts";
import { until } from "../support/until.ts";
import { pause } from "./waiting.ts";
import { openWorld, type World } from "./world.ts";

const chance = seeded("database trouble");
let world: World;
let banks: Caller[];
let points: FaultPoints;

before(async () => {
  world = await openWorld();
  points = await installFaultPoints(world.database);
  banks = [await world.admit(), await world.admit()];
});
after(() => world?.close());

/** Does something to the database under load, then sees that everything adds up. */
async function underLoad(
  test: { diagnostic(message: string): void },
  workers: number,
  disturb: (load: Load, history: History) => Promise<void>,
): Promise<void> {
  const history = new History();
  const callers = [await world.admit(), await world.admit()];
  for (const caller of callers) await history.call(caller, "fund", '{"amount_sar":10000000}');
  const load = startLoad({ history, callers, workers, instances: 2, chance });
  try {
    await until(() => load.ordered >= 10, 20_000, "orders flow");
    await disturb(load, history);
  } finally {
    await load.stop();
  }
  test.diagnostic(`${history.operations.length} calls: ${JSON.stringify(history.counts())}`);
  checkReplies(history);
  await settle(history);
}

const recovered = () => tradeAgain(banks);

async function settle(history: History): Promise<void> {
  await history.resolve(2);
  assertEquals(await history.contradictions(world.database.sql), []);
  assertEquals(await findBreaches(world.database), []);
}

test("a database that crashes under load loses no acknowledged order (F06)", async (t) => {
  await underLoad(t, 8, async (load) => {
    const times: number[] = [];
    for (let count = 0; count < sized(5, 10); count++) {
      const already = load.ordered;
      await until(() => load.ordered >= already + 30, 20_000, "orders flow");
      await crash(world.postgresql);
      await pause(chance.below(1_500));
      await world.postgresql.restart();
      times.push(await recovered());
    }
    t.diagnostic(`trading again after ${times.join(", ")} ms`);
  });
});

test("sessions that are terminated at random cost no order (F07)", async (t) => {
  await underLoad(t, 8, async () => {
    const watch = watchInvariants([world]);
    let terminated = 0;
    for (const endMs = Date.now() + sized(8_000, 300_000); Date.now() < endMs;) {
      const rows = await world.database.sql`
        select pg_terminate_backend(pid) from (
          select pid from pg_stat_activity where application_name = 'sabika-server'
          order by random() limit 1) victim`;
      terminated += rows.length;
      await pause(100);
    }
    t.diagnostic(`${terminated} sessions terminated, ${watch.rounds} rounds of checks`);
    assertEquals(await watch.stop(), []);
  });
  await recovered();
  const [row] = await world.database.sql<{ n: number }[]>`
    select count(*)::int as n from pg_stat_activity where application_name = 'sabika-server'`;
  assert(row!.n <= 16, `${row!.n} sessions: clients of the pool leak`);
});

test("a database that hangs gives 503 in time, and all goes on when it wakes (F08)", async (t) => {
  await underLoad(t, 8, async (_load, history) => {
    const times: Record<string, number[]> = { "/health": [], "/v1/balances": [] };
    signalAll(world.postgresql, "SIGSTOP");
    try {
      await pause(2_000);
      for (const endMs = Date.now() + sized(11_000, 30_000); Date.now() < endMs; await pause(500)) {
        for (const target of Object.keys(times)) {
          for (const instance of [0, 1]) {
            const reply = await banks[0]!.get(target, { instance, timeoutMs: 15_000 });
            assertEquals(reply.status, 503, `${target}: ${reply.status} ${reply.code}`);
            times[target]!.push(reply.ms);
          }
        }
      }
    } finally {
      signalAll(world.postgresql, "SIGCONT");
    }
    const ms = await recovered();
    const writes = history.operations.flatMap(({ replies }) => replies.map((reply) => reply.ms));
    const longest = Math.max(...writes);
    t.diagnostic(
      `trading again after ${ms} ms; the longest write took ${longest.toFixed()} ms, health ` +
        `${percentile(times["/health"]!, 1).toFixed()} ms, a read ` +
        `${percentile(times["/v1/balances"]!, 1).toFixed()} ms`,
    );
    assert(longest < 15_000, `a caller waited ${longest} ms`);
  });
});

test("a read that was under way when the database began to hang does not hang for ever (F08)", async () => {
  const locker = await world.database.sql.reserve();
  await locker`begin`;
  await locker`lock table orders in access exclusive mode`;
  const reading = banks[0]!.get("/v1/orders", { timeoutMs: 25_000 });
  const reply = await reading;
  await locker`rollback`;
  locker.release();
  assertEquals(reply.status, 503, `${reply.code} after ${reply.ms} ms`);
  await recovered();
});

test("connections that went silent without a word are given up (F27)", async (t) => {
  await underLoad(t, 4, async () => {
    world.proxies[0]!.freezeThese();
    t.diagnostic(`trading again after ${await recovered()} ms`);
  });
});

test("a database that takes no writes gives 503, and health says so (F09)", async (t) => {
  const { sql } = world.database;
  const set = async (value: "on" | "off") => {
    const own = await sql.reserve();
    await own`set default_transaction_read_only = off`;
    await own.unsafe(`alter system set default_transaction_read_only = ${value}`).simple();
    await own`select pg_reload_conf()`;
    own.release();
  };
  const health = async (status: number) =>
    (await Promise.all([0, 1].map((instance) => banks[0]!.get("/health", { instance }))))
      .every((reply) => reply.status === status);
  const kinds: [WriteKind, string][] = [
    ["fund", '{"amount_sar":1}'],
    ["quote", '{"side":"buy","gold_grams":1}'],
    ["withdrawal", '{"amount_sar":1}'],
    ["order", `{"quote_id":"qt_${crypto.randomUUID()}"}`],
    ["probe", "{}"],
  ];
  await underLoad(t, 4, async () => {
    await set("on");
    try {
      await pause(200);
      for (const [kind, body] of kinds) {
        const reply = await banks[0]!.write(kind, body, { instance: chance.below(2) });
        const answer = [reply.status, reply.code, reply.retryAfter !== undefined];
        assertEquals(answer, [503, "service_unavailable", true], `${kind}: ${reply.body}`);
      }
      const ms = await until(() => health(503), 10_000, "health reports it");
      t.diagnostic(`health reported it after ${ms} ms`);
    } finally {
      await set("off");
    }
    t.diagnostic(`trading again after ${await recovered()} ms`);
    await until(() => health(200), 30_000, "health is well again");
  });
});

/** A body that succeeds. */
async function bodyFor(kind: WriteKind, caller: Caller, history: History): Promise<string> {
  if (kind === "quote") return '{"side":"buy","gold_grams":0.5}';
  if (kind !== "order") return '{"amount_sar":1.25}';
  const quoted = await history.call(caller, "quote", '{"side":"buy","gold_grams":0.25}');
  return `{"quote_id":"${idOf(quoted)}"}`;
}

test("serialization failures and deadlocks are tried again inside, with the same nonce (F11)", async () => {
  const history = new History();
  const caller = await world.admit();
  await history.call(caller, "fund", '{"amount_sar":100000}');
  for (const kind of ["order", "withdrawal", "fund", "quote"] as const) {
    const keys = kind === "order" || kind === "quote" ? "trade_keys" : "idempotency_keys";
    for (const action of ["40001", "40P01"] as const) {
      const body = await bodyFor(kind, caller, history);
      await points.arm(keys, action, 3);
      const reply = await history.call(caller, kind, body);
      assertEquals(
        [reply.status, reply.isReplay],
        [201, false],
        `${kind} ${action}: ${reply.code}`,
      );
      assertEquals(await points.met(), 3);

      const again = await bodyFor(kind, caller, history);
      await points.arm(keys, action, 1_000);
      const key = crypto.randomUUID();
      const refused = await caller.write(kind, again, { key });
      assertEquals([refused.status, refused.code], [503, "service_unavailable"], refused.body);
      assert(refused.ms < 10_000 && refused.retryAfter !== undefined, `${refused.ms} ms`);
      await points.disarm();
      const done = await history.call(caller, kind, again, { key });
      assertEquals([done.status, done.isReplay], [201, false], `${kind} after ${action}`);
    }
  }
  await settle(history);
});
