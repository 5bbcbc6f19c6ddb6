/** F85: under orders by the SDK, machines of the database are lost, and Patroni fails over by itself (D115). */
import { after, before, describe, it, type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import process from "node:process";
import { assert, assertEquals } from "@std/assert";
import { openKit, SabikaError } from "@sabika/client";
import { parseId } from "@sabika/protocol";
import { type ClusterMember, readMembers } from "@sabika/deployment";

import { findBreaches } from "../support/history/watch_books.ts";
import { sized } from "../support/sized.ts";
import { clientWithoutRepeats, startOrderLoad } from "../support/stack/order_load.ts";
import { openTestStack, type TestStack } from "../support/stack/stack_for_tests.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { until } from "../support/until.ts";
import {
  cutOff,
  fillDisk,
  fillLog,
  fillStandby,
  freeze,
  type Heal,
  killEtcd,
  killEtcdLeader,
  killMember,
  openDisks,
  type Struck,
} from "./cluster_strikes.ts";
import { startJudge } from "./primary_judge.ts";

const ROUNDS = sized(1, 20);
/** How long trading may be away, in each round and in half of them. */
const LONGEST_MS = 30_000;
const MEDIAN_MS = 15_000;
/** How long a machine that comes back may take to be a standby again. */
const WHOLE_MS = 120_000;
const GROUPS = [60_001, 60_002, 60_003];

interface Strike {
  readonly name: string;
  readonly strike: (struck: Struck, primary: ClusterMember) => Promise<Heal> | Heal;
  /** How long it lasts at least. */
  readonly lastsMs?: number;
}

const STRIKES: readonly Strike[] = [
  { name: "the primary and its Patroni are killed", strike: killMember },
  { name: "the primary's machine is cut off both ways", strike: cutOff },
  { name: "the primary's machine stands still, and wakes up again", strike: freeze },
  { name: "the primary's disk is full", strike: fillDisk, lastsMs: 10_000 },
  { name: "the primary's disk is full, and its log", strike: fillLog, lastsMs: 10_000 },
  { name: "the synchronous standby's disk is full", strike: fillStandby, lastsMs: 10_000 },
  { name: "etcd's leader is killed", strike: killEtcdLeader },
  { name: "all of etcd is away for a minute", strike: killEtcd, lastsMs: 60_000 },
];
/** Without root there is no packet filter, and no disk to fill. */
const isRoot = process.getuid?.() === 0;
const OF_ROOT: readonly Strike["strike"][] = [cutOff, fillDisk, fillLog, fillStandby];

describe("a database that fails over", () => {
  let test: TestStack;
  let struck: Struck;
  let judge: Awaited<ReturnType<typeof startJudge>>;
  let load: Awaited<ReturnType<typeof startOrderLoad>>;
  const awaysMs: number[] = [];

  before(async () => {
    const groups = isRoot ? GROUPS : [];
    const dataFolder = temporaryFolder();
    const disks = isRoot ? await openDisks(dataFolder, GROUPS.length) : [];
    test = await openTestStack({ partners: 1, ha: { groups }, dataFolder });
    struck = { cluster: test.stack.cluster!, groups, disks };
    judge = await startJudge(test.stack.databaseUrl, struck.cluster.members);
    load = await startOrderLoad(test.stack.kits[0]!, 3, { pauseMs: 100, mostFailures: Infinity });
  });
  after(async () => {
    await load?.stop();
    await judge?.verdict();
    await test?.close();
    await Promise.all(struck?.disks.map((disk) => disk.remove()) ?? []);
  });

  for (const { name, strike, lastsMs = 0 } of STRIKES) {
    if (!isRoot && OF_ROOT.includes(strike)) continue;
    it(`trades again within 30 s when ${name} (F85)`, async (t) => {
      for (let round = 0; round < ROUNDS; round++) {
        const primary = await untilWhole();
        const struckMs = performance.now();
        const heal = await strike(struck, primary);
        try {
          await untilOrdered(1, LONGEST_MS);
          await pause(lastsMs - (performance.now() - struckMs));
          await untilOrdered(10, LONGEST_MS);
        } catch (error) {
          await describeMembers(t);
          throw error;
        } finally {
          await heal();
        }
        await untilWhole();
        const awayMs = longestPause(struckMs);
        awaysMs.push(awayMs);
        t.diagnostic(`no orders for ${Math.round(awayMs)} ms`);
        assert(awayMs <= LONGEST_MS, `${awayMs} ms`);
      }
    });
  }

  it("loses no acknowledged order, doubles none, and has one primary that acknowledges", async (t) => {
    await load.stop();
    assertEquals(await judge.verdict(), []);
    const { orders, failures } = load;
    const repeated = await repeatUnknown();
    const rows = await test.admin.database.sql<{ id: string; quote: string }[]>`
      select order_id::text as id, quote_id::text as quote from orders`;
    const ids = new Set(rows.map(({ id }) => id));
    const acknowledged = orders.flatMap(({ orderId }) =>
      orderId === undefined ? [] : parseId("ord", orderId)!
    );
    assertEquals(acknowledged.filter((id) => !ids.has(id)), []);
    assertEquals(new Set(rows.map(({ quote }) => quote)).size, rows.length);
    assertEquals(rows.length, acknowledged.length + repeated);
    assertEquals(await findBreaches({ database: test.admin.database }), []);
    const codes = new Set(failures.map((failure) => failure.split(" ")[0]));
    codes.delete("service_unavailable");
    codes.delete("outcome_unknown");
    assertEquals([...codes], []);
    const sorted = awaysMs.toSorted((a, b) => a - b);
    const [low, high] = [(sorted.length - 1) / 2, sorted.length / 2].map(Math.floor);
    const median = (sorted[low!]! + sorted[high!]!) / 2;
    t.diagnostic(
      `${acknowledged.length} orders and ${judge.acknowledged.length} writes of the judge ` +
        `acknowledged, ${repeated} of the unanswered carried out; median ${Math.round(median)} ms`,
    );
    assert(median <= MEDIAN_MS, `${median} ms`);
  });

  /** Waits until all three members run, one is synchronous, and orders flow; returns the primary. */
  async function untilWhole(): Promise<ClusterMember> {
    let primary: string | undefined;
    await until(
      async () => {
        const states = await readMembers(struck.cluster);
        primary = states.find(({ role }) => role === "leader")?.name;
        return primary !== undefined && states.length === GROUPS.length &&
          states.some(({ role }) => role === "sync_standby") &&
          states.every(({ state }) => state === "running" || state === "streaming");
      },
      WHOLE_MS,
      "three members run",
      500,
    );
    await untilOrdered(10, LONGEST_MS);
    return struck.cluster.members.find(({ name }) => name === primary)!;
  }

  async function untilOrdered(more: number, withinMs: number): Promise<void> {
    const count = () => load.orders.filter(({ orderId }) => orderId !== undefined).length;
    const before = count();
    await until(() => count() >= before + more, withinMs, `${more} more orders`, 50);
  }

  /** The longest time without an acknowledged order since then. */
  function longestPause(sinceMs: number): number {
    let [lastMs, longestMs] = [sinceMs, 0];
    const times = load.orders.flatMap(({ ackedMs }) => ackedMs ?? []).sort((a, b) => a - b);
    for (const ackedMs of times.filter((time) => time > sinceMs)) {
      longestMs = Math.max(longestMs, ackedMs - lastMs);
      lastMs = ackedMs;
    }
    return longestMs;
  }

  /** Repeats under their keys the orders without an answer; returns how many were or are carried out. */
  async function repeatUnknown(): Promise<number> {
    const client = clientWithoutRepeats(await openKit(test.stack.kits[0]!));
    let carriedOut = 0;
    for (const { quoteId, key } of load.orders.filter(({ orderId }) => orderId === undefined)) {
      try {
        await client.order({ quoteId }, { idempotencyKey: key });
        carriedOut += 1;
      } catch (error) {
        if (!(error instanceof SabikaError)) throw error;
        assertEquals(error.code, "quote_expired");
      }
    }
    await client.close();
    return carriedOut;
  }

  async function describeMembers(t: TestContext): Promise<void> {
    t.diagnostic(JSON.stringify(await readMembers(struck.cluster)));
  }
});
