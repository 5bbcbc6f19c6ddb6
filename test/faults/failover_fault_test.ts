/** F85: under orders by the SDK, machines of the database are lost, and Patroni fails over by itself (D115). */
import { after, before, describe, it, type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { openKit, SabikaError } from "@sabika/client";
import { parseId } from "@sabika/protocol";
import { readMembers } from "@sabika/deployment";
import { findBreaches } from "../support/history/watch_books.ts";
import { sized } from "../support/sized.ts";
import { clientWithoutRepeats, startOrderLoad } from "../support/stack/order_load.ts";
import { openTestStack, type TestStack } from "../support/stack/stack_for_tests.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { until } from "../support/until.ts";
import {
  CLUSTER_STRIKES,
  MEMBERS_GROUPS,
  openMembersDisks,
  readWhole,
  type Struck,
  type WholeCluster,
} from "./cluster_strikes.ts";
import { startJudge } from "./primary_judge.ts";

const ROUNDS = sized(1, 20);
/** How long trading may be away, in each round and in half of them. */
const LONGEST_MS = 30_000;
const MEDIAN_MS = 15_000;
/** How long a machine that comes back may take to be a standby again. */
const WHOLE_MS = 120_000;

describe("a database that fails over", () => {
  let test: TestStack;
  let struck: Struck;
  let judge: Awaited<ReturnType<typeof startJudge>>;
  let load: Awaited<ReturnType<typeof startOrderLoad>>;
  const awaysMs: number[] = [];

  before(async () => {
    const dataFolder = temporaryFolder();
    const disks = await openMembersDisks(dataFolder, MEMBERS_GROUPS.length);
    test = await openTestStack({ partners: 1, ha: { groups: MEMBERS_GROUPS }, dataFolder });
    struck = { cluster: test.stack.cluster!, groups: MEMBERS_GROUPS, disks };
    judge = await startJudge(test.stack.databaseUrl, struck.cluster.members);
    load = await startOrderLoad(test.stack.kits[0]!, 3, { pauseMs: 100, mostFailures: Infinity });
  });
  after(async () => {
    await load?.stop();
    await judge?.verdict();
    await test?.close();
    for (const disk of struck?.disks ?? []) disk.remove();
  });

  for (const { name, to, begin, lastsMs = 0, needsRoot } of CLUSTER_STRIKES) {
    // The nemesis has those of a standby that nobody waits for, too.
    if (to === "standby" || (needsRoot && MEMBERS_GROUPS.length === 0)) continue;
    it(`trades again within 30 s when ${name} (F85)`, async (t) => {
      for (let round = 0; round < ROUNDS; round++) {
        const { primary, standbys } = await untilWhole();
        const struckMs = performance.now();
        const heal = await begin(struck, to === undefined ? primary : standbys[0]);
        try {
          await untilOrdered(1, LONGEST_MS);
          await pause(lastsMs - (performance.now() - struckMs));
          await untilOrdered(10, LONGEST_MS);
        } catch (error) {
          await describeMembers(t);
          throw error;
        } finally {
          await heal?.();
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

  /** Waits until the cluster is whole and orders flow; returns who is what. */
  async function untilWhole(): Promise<WholeCluster> {
    let whole: WholeCluster | undefined;
    await until(
      async () => (whole = await readWhole(struck.cluster)) !== undefined,
      WHOLE_MS,
      "three members run",
      500,
    );
    await untilOrdered(10, LONGEST_MS);
    return whole!;
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
