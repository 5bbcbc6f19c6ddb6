/**
 * The guarantees when sessions die: every statement is answered, the next one works at once, and a transaction
 * is done whole or not at all, on one session. The driver alone does not give them (Decision D69).
 */
import { createServer } from "node:net";
import { test } from "node:test";
import { setImmediate } from "node:timers";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { listen } from "../../test/support/listen.ts";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { until } from "../../test/support/until.ts";
import { type Database, openDatabase } from "./database.ts";
import { classifyFailure } from "./failure.ts";
import type { AnySql } from "./sql.ts";

/** Nothing else takes this long, even on a busy machine, so a longer wait means a wedged connection. */
const WEDGED_SECONDS = 60;

async function withVictim(
  use: (
    victim: Database,
    endSession: (pid: number) => Promise<void>,
    control: Database,
  ) => Promise<void>,
  maxConnections = 1,
): Promise<void> {
  const test = await openTestDatabase();
  const victim = openDatabase(test.url, {
    maxConnections,
    applicationName: "victim",
    connectTimeoutSeconds: WEDGED_SECONDS,
  });
  try {
    await test.database.sql`create table marks (mark text)`;
    await use(victim, async (pid) => {
      await test.database.sql`select pg_terminate_backend(${pid}::integer, 5000)`;
    }, test.database);
  } finally {
    await victim.close();
    await test.close();
  }
}

const codeOf = (error: unknown) => (error as { code?: string }).code;

async function pidOf({ sql }: { sql: AnySql }): Promise<number> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row!.pid;
}

test("nothing of a transaction runs after its session died", async () => {
  await withVictim(async ({ sql }, endSession) => {
    const pid = await pidOf({ sql });
    let resume = () => {};
    const resumed = new Promise<void>((resolve) => resume = resolve);
    let noteDead = () => {};
    const dead = new Promise<void>((resolve) => noteDead = resolve);
    const broken = sql.begin(async (tx) => {
      await tx`insert into marks values ('first half')`;
      await endSession(pid);
      noteDead();
      await resumed;
      for (let attempt = 0; attempt < 2; attempt++) {
        await tx`insert into marks values ('second half')`.catch(() => {});
      }
    }).then(() => "no error", classifyFailure);
    await dead;
    // Another transaction is under way when the dead one goes on.
    await sql.begin(async (tx) => {
      await tx`insert into marks values ('other')`;
      resume();
      assert(["lost", "away"].includes(await broken), await broken);
      await tx`insert into marks values ('other')`;
    });
    const marks = await sql<{ mark: string }[]>`select mark from marks`;
    assertEquals(marks.map((row) => row.mark), ["other", "other"]);
  });
});

test("a statement after the end of its transaction is refused", async () => {
  await withVictim(async ({ sql }) => {
    let late = () => Promise.resolve<unknown>(undefined);
    await sql.begin((tx) => {
      late = () => tx`insert into marks values ('late')`.execute();
    });
    await assertRejects(late, Error, "has ended");
    assertEquals((await sql`select mark from marks`).length, 0);
  });
});

test("a transaction with a failed statement fails, even when the error was caught", async () => {
  await withVictim(async ({ sql }) => {
    const caught = sql.begin(async (tx) => {
      await tx`insert into marks values ('half')`;
      await tx`select 1 / 0`.catch(() => {});
    });
    assertEquals(await caught.then(() => "no error", codeOf), "22012");
    const notAwaited = sql.begin(async (tx) => {
      await tx`insert into marks values ('half')`;
      void tx`select 1 / 0`.catch(() => {});
    });
    assertEquals(await notAwaited.then(() => "no error", codeOf), "22012");
    assertEquals((await sql`select mark from marks`).length, 0);
  });
});

test("a transaction begins only when everything before it on its session is answered", async () => {
  await withVictim(async ({ sql }) => {
    const before = sql`insert into marks values ('before')`.execute();
    const refused = sql.begin(async (tx) => {
      await tx`insert into marks values ('inside')`;
      throw new Error("rolled back");
    });
    const after = sql`insert into marks values ('after')`.execute();
    await assertRejects(() => refused, Error, "rolled back");
    await Promise.all([before, after]);
    const marks = await sql<{ mark: string }[]>`select mark from marks`;
    assertEquals(marks.map((row) => row.mark), ["before", "after"]);
  });
});

test("a statement that fails amid its rows leaves nothing in the next result", async () => {
  await withVictim(async ({ sql }, endSession) => {
    for (let round = 0; round < 3; round++) {
      const failing = sql`select 1 / (5 - n) as q from generate_series(1, 9) n`;
      const [code, rows] = await Promise.all([
        failing.then(() => "no error", codeOf),
        sql<{ one: number }[]>`select 1 as one`,
      ]);
      assertEquals([code, rows.length, rows[0]?.one], ["22012", 1, 1]);
    }
    // Nor does a statement whose session dies amid its rows.
    const pid = await pidOf({ sql });
    const cut = sql`select n, pg_sleep(n / 1000 * 10) from generate_series(1, 3000) n`
      .then(() => "no error", classifyFailure);
    await endSession(pid);
    assertEquals(await cut, "lost");
    const rows = await sql<{ one: number }[]>`select 1 as one`;
    assertEquals([rows.length, rows[0]?.one], [1, 1]);
  });
});

test("a reserved connection whose session died rejects statements, and holds up nobody", async () => {
  await withVictim(async ({ sql }, endSession) => {
    const reserved = await sql.reserve();
    const pid = await pidOf({ sql: reserved });
    // These wait for the only session, and go on when it has died, before it is released.
    const answers: string[] = [];
    for (const answer of [sql`select`.execute(), sql.begin((tx) => tx`select`)]) {
      void answer.then(() => "served", String).then((answer) => answers.push(answer));
    }
    await endSession(pid);
    await until(() => answers.length === 2, 10_000, "both who wait for a session are answered");
    assertEquals(answers, ["served", "served"]);
    const codes: unknown[] = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      codes.push(await reserved`select 1`.then(() => "ok", codeOf));
    }
    assert(codes.every((code) => code !== "ok"), String(codes));
    reserved.release();
    assertEquals((await sql<{ one: number }[]>`select 1 as one`)[0]!.one, 1);
  });
});

test("a reserved session runs transactions, and at its end its locks are free", async () => {
  await withVictim(async ({ sql }) => {
    const reserved = await sql.reserve();
    await reserved`select pg_advisory_lock(1)`;
    const pids = await reserved.begin((transaction) => pidOf({ sql: transaction }));
    assertEquals(pids, await pidOf({ sql: reserved }));
    await reserved.begin(() => Promise.reject(new Error("undone"))).catch(() => {});
    const isFree = async () =>
      (await sql<{ free: boolean }[]>`select pg_try_advisory_xact_lock(1) as free`)[0]!.free;
    assertEquals([await isFree(), (await reserved`select`).length], [false, 1]);
    reserved.end();
    await until(isFree);
    assert(await reserved`select 1`.then(() => false, () => true));
  }, 2);
});

/** The outcome of a transaction under load. */
type Ending = "done" | ReturnType<typeof classifyFailure>;

test("every answer stays true while five hundred sessions die under load", async (t) => {
  await withVictim(async ({ sql }, _, control) => {
    await control.sql`create table steps (id integer, step integer)`;
    const endings = new Map<number, Ending>();
    let [ids, ended, read, works, longestMs] = [0, 0, 0, 0, 0];
    let isOver = false;
    const repeat = async (work: () => Promise<unknown>) => {
      try {
        while (!isOver) {
          const startedMs = performance.now();
          await work();
          works += 1;
          longestMs = Math.max(longestMs, performance.now() - startedMs);
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        isOver = true;
      }
    };
    const transact = async () => {
      const id = ++ids;
      await sql.begin(async (tx) => {
        for (let step = 0; step < 4; step++) {
          // Every second transaction goes on after a failure.
          const inserted = tx`insert into steps values (${id}, ${step})`;
          await (id % 2 === 0 ? inserted.catch(() => {}) : inserted);
        }
      }).then(() => endings.set(id, "done"), (e) => endings.set(id, classifyFailure(e)));
    };
    const insert = async () => {
      const id = ++ids;
      await sql`insert into steps select ${id}, step from generate_series(0, 3) step`
        .then(() => endings.set(id, "done"), (e) => endings.set(id, classifyFailure(e)));
    };
    // Each reader gets its own rows; there are several to a session, longer than a packet.
    const readOwn = async () => {
      const asked = Array.from({ length: 4 }, () => ++read);
      await Promise.all(asked.map(async (n) => {
        const rows = await sql<{ n: number }[]>`
          select ${n}::integer as n, repeat('x', 500) from generate_series(1, ${n % 50 + 1})`
          .catch((error) => void assert(classifyFailure(error) !== "fatal", String(error)));
        if (rows === undefined) return;
        assertEquals([rows.length, rows.every((row) => row.n === n)], [n % 50 + 1, true]);
      }));
    };
    const killed = (async () => {
      while (ended < 500 && !isOver) {
        const rows = await control.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'victim' and datname = current_database() order by random() limit 1`;
        ended += rows.length;
        // The session dies at a random moment, while it starts or amid its work.
        const next = works + Math.floor(Math.random() * 6);
        while (works < next && !isOver) await new Promise((resolve) => setImmediate(resolve));
      }
      isOver = true;
    })();
    await Promise.all([killed, ...[transact, transact, transact, insert, readOwn].map(repeat)]);
    const kept = new Map(
      (await control.sql<{ id: number; n: number }[]>`
        select id, count(*)::integer as n from steps group by id`).map(({ id, n }) => [id, n]),
    );
    const count: Record<string, number> = {};
    for (const [id, ending] of endings) {
      count[ending] = (count[ending] ?? 0) + 1;
      const n = kept.get(id) ?? 0;
      const allowed = ending === "done" ? [4] : ending === "lost" ? [0, 4] : [0];
      assert(allowed.includes(n), `${ending}, but ${n} of 4 rows`);
    }
    assertEquals(endings.size, ids);
    assertEquals(count["fatal"], undefined);
    assert(count["done"]! > 100, JSON.stringify(count));
    assert(longestMs < WEDGED_SECONDS * 900, `somebody waited ${longestMs} ms`);
    t.diagnostic(`${JSON.stringify(count)}, ${read} reads, ${longestMs.toFixed()} ms at most`);
  }, 3);
});

test("a statement whose connection is reset before the server's first byte was not carried out", async () => {
  const server = createServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
  const port = await listen(server);
  const database = openDatabase(`postgres://sabika@127.0.0.1:${port}/none`, { maxConnections: 1 });
  try {
    const error = await assertRejects(async () => await database.sql`select`);
    assertEquals(classifyFailure(error), "away");
  } finally {
    await database.close();
    server.close();
  }
});
