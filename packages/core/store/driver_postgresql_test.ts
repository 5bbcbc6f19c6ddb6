/**
 * What the driver must do when a session dies; postgres.js does it only once tools/repair_driver.mjs
 * has been over it. Without the repair the first of these tests ends the process.
 */
import { test } from "node:test";
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { type Database, openDatabase } from "./database.ts";

/** So long a connection that is wedged stays so: longer than anything else takes on a busy machine. */
const WEDGED_SECONDS = 60;

async function withVictim(
  use: (victim: Database, endSession: (pid: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  const test = await openTestDatabase();
  const victim = openDatabase(test.url, {
    maxConnections: 1,
    connectTimeoutSeconds: WEDGED_SECONDS,
  });
  try {
    await test.database.sql`create table marks (mark text)`;
    await use(victim, async (pid) => {
      await test.database.sql`select pg_terminate_backend(${pid}::integer, 5000)`;
    });
  } finally {
    await victim.close();
    await test.close();
  }
}

const codeOf = (error: unknown) => (error as { code?: string }).code;

test("a session that dies inside a transaction rejects it, and the next one works at once", async () => {
  await withVictim(async ({ sql }, endSession) => {
    for (let round = 0; round < 20; round++) {
      const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
      const broken = sql.begin(async (tx) => {
        await tx`insert into marks values ('half')`;
        // Under way when the session ends.
        const sleeping = tx`select pg_sleep(10)`;
        await Promise.all([sleeping, endSession(row!.pid)]);
      }).then(() => "no error", codeOf);
      assert(["CONNECTION_CLOSED", "57P01", "ECONNRESET"].includes(await broken ?? ""));
      const startedMs = performance.now();
      const [marks] = await sql<{ n: number }[]>`select count(*)::int as n from marks`;
      assertEquals(marks!.n, 0);
      assert(performance.now() - startedMs < WEDGED_SECONDS * 900, "the connection is wedged");
    }
  });
});

test("nothing of a transaction runs after its session died", async () => {
  await withVictim(async ({ sql }, endSession) => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    let resume = () => {};
    const resumed = new Promise<void>((resolve) => resume = resolve);
    let dead = () => {};
    const died = new Promise<void>((resolve) => dead = resolve);
    let answerLate: (outcome: unknown) => void = () => {};
    const late = new Promise<unknown>((resolve) => answerLate = resolve);
    const broken = sql.begin(async (tx) => {
      await tx`insert into marks values ('first half')`;
      await endSession(row!.pid);
      dead();
      await resumed;
      try {
        await tx`insert into marks values ('second half')`;
        answerLate("done");
      } catch (error) {
        answerLate(codeOf(error));
        throw error;
      }
    }).then(() => "no error", codeOf);
    await died;
    assertEquals(await broken, "CONNECTION_CLOSED");
    // Another transaction is on the connection when the dead one goes on.
    await sql.begin(async (tx) => {
      await tx`insert into marks values ('other')`;
      resume();
      // The dead transaction's statement was carried out or refused, in the middle of this one.
      assertEquals(await late, "CONNECTION_CLOSED");
      await tx`insert into marks values ('other')`;
    });
    assertEquals((await sql<{ mark: string }[]>`select mark from marks`).map((one) => one.mark), [
      "other",
      "other",
    ]);
  });
});

test("a reserved connection whose session died rejects, and gives itself back harmlessly", async () => {
  await withVictim(async ({ sql }, endSession) => {
    // reserve() waits for ever for a connection that is not open yet.
    await sql`select 1`;
    const reserved = await sql.reserve();
    const [row] = await reserved<{ pid: number }[]>`select pg_backend_pid() as pid`;
    await endSession(row!.pid);
    const codes: unknown[] = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      codes.push(await reserved`select 1`.then(() => "ok", codeOf));
    }
    assert(codes.every((code) => code !== "ok"), String(codes));
    reserved.release();
    assertEquals((await sql<{ one: number }[]>`select 1 as one`)[0]!.one, 1);
  });
});

test("sessions that die while statements come from all sides hold nobody up", async () => {
  await withVictim(async ({ sql }, endSession) => {
    let longestMs = 0;
    let isOver = false;
    const working = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const startedMs = performance.now();
        await sql`select pg_sleep(${Math.random() / 200}::float8)`.catch(() => {});
        longestMs = Math.max(longestMs, performance.now() - startedMs);
        // As the executor sends its batches.
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    for (let round = 0; round < 20; round++) {
      const found = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`.catch(() => []);
      if (found[0] !== undefined) await endSession(found[0].pid);
    }
    isOver = true;
    await Promise.all(working);
    assert(longestMs < WEDGED_SECONDS * 900, `somebody waited ${longestMs} ms`);
  });
});
