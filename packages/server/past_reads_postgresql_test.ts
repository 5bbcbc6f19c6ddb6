/** (D121) A primary and its standby, two real clusters: what is past is read on the standby. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type Database, openStandbys, type Standbys } from "@sabika/database";
import { parseId } from "@sabika/protocol";
import { createReading } from "@sabika/service/trading";
import { asSuperuser } from "../../test/support/as_superuser.ts";
import { holdReplay, PRIMARY_SETTINGS, runStandby } from "../../test/support/standby.ts";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { openTestTrading, trade, value } from "../../test/support/test_market.ts";
import { admitTestPartner } from "../../test/support/test_partner.ts";
import { until } from "../../test/support/until.ts";
import { runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { openPools } from "./open_databases.ts";
import { createOpened } from "./opened.ts";

const LIMIT_MS = 10_000;
const DAY_MS = 86_400_000;
const opened = createOpened();

const primary = await runPostgreSQL({ durable: false, settings: PRIMARY_SETTINGS });
const standby = await runStandby(primary, { durable: false });
const tested = await openTestDatabase({ server: primary.url });
/** The URL of both servers, for a server's role. */
const url = tested.urlAs("sabika_app").replace(
  /host=([^&]*)&port=([0-9]+)/,
  `host=$1,$1&port=$2,${standby.postgresql.port}&target_session_attrs=read-write`,
);
const pools = openPools(url, { standbyLagSeconds: LIMIT_MS / 1_000 }, opened);
after(async () => {
  await opened.close();
  await Promise.all([tested.database.close(), tested.app.close()]);
  await standby.close();
  await primary.stop();
});

const portOf = async ({ sql }: Database): Promise<number> => {
  const [row] = await sql<{ port: number }[]>`select inet_server_port() as port`;
  return row!.port;
};

/** Whether the lag of some standby is known, asked now. */
const hasLag = async ({ look, lagMs }: Standbys, isKnown: boolean): Promise<boolean> => {
  await look();
  return (lagMs() !== undefined) === isKnown;
};

await until(() => hasLag(pools.standbys, true));

/** Opens the standbys anew, with a clock that can be set ahead. */
async function openOthers() {
  const clock = { aheadMs: 0 };
  const { reading } = pools;
  const standbys = openStandbys({
    url,
    primary: reading,
    lagLimitMs: LIMIT_MS,
    monotonic: () => performance.now() + clock.aheadMs,
    options: { maxConnections: 2 },
  });
  const database = standbys.behind(reading);
  await until(() => hasLag(standbys, true));
  return { clock, standbys, where: () => database.past(portOf) };
}

test("old pages and statements of past days are read on the standby, all else on the primary", async () => {
  const { reads } = pools.standbys;
  const { database } = tested;
  const trading = await openTestTrading(tested, 4_850_000n);
  const bank = await admitTestPartner(database, { cashHalalas: 10_000_000n });
  const { partnerId } = bank;
  for (let n = 0; n < 3; n++) await trade(trading, bank);
  const readingAt = (now: () => number) => {
    const { reading, statements: statementsDatabase } = pools;
    return createReading({ database: reading, statementsDatabase, environment: "sandbox", now });
  };
  const [today, later] = [readingAt(Date.now), readingAt(() => Date.now() + 2 * DAY_MS)];
  /** Reads on the primary, then with a clock by which all is past: the same, of which so many on the standby. */
  const compare = async (read: (on: typeof today) => Promise<unknown>, onStandby: number) => {
    const before = reads.standby;
    const found = await read(today);
    assertEquals(reads.standby, before);
    assertEquals(await read(later), found);
    assertEquals(reads.standby, before + onStandby);
  };
  // The commits above waited until the standby had them, not until it had replayed them.
  await until(async () => await later.isHome(partnerId));
  const settled = () =>
    pools.reading.past(portOf, async ({ sql }) => (await sql`select from orders`).length === 3);
  await until(async () => await settled() === standby.postgresql.port);

  const first = value({ ok: true, value: await today.listOrders({ partnerId, limit: 1 }) });
  assert(first.ok);
  const { data: [order], nextCursor } = first.page;
  const cursor = nextCursor!;
  await compare((on) => on.listOrders({ partnerId, limit: 1, cursor }), 1);
  await compare((on) => on.getOrder({ partnerId, orderId: parseId("ord", order!.id)! }), 1);
  await compare((on) => on.listOrders({ partnerId, limit: 5 }), 0);
  await compare((on) => on.listOrders({ partnerId, limit: 5, idempotencyKey: "k", cursor }), 0);
  await compare((on) => on.balances({ partnerId }), 0);
  const day = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10);
  await compare(async (on) => {
    const { count, closing, pages } = (await on.statement({ partnerId, day }))!;
    const entries = [];
    for await (const page of pages(4)) entries.push(...page);
    return { count, closing, entries };
  }, 1 + 2);
  const entries = await today.listLedgerEntries({ partnerId, limit: 2 });
  assert(entries.ok);
  const before = reads.standby;
  await today.listLedgerEntries({ partnerId, limit: 2, cursor: entries.page.nextCursor! });
  assertEquals(reads.standby, before + 1);
});

test("a standby without the partner's rows, or that fails, leaves the read to the primary", async () => {
  const { reading } = pools;
  assertEquals(await reading.past(portOf), standby.postgresql.port);
  assertEquals(await reading.past(portOf, () => Promise.resolve(false)), primary.port);
  const failing = async (database: Database) => {
    const port = await portOf(database);
    if (port === standby.postgresql.port) throw new Error("cancelled by what is replayed");
    return port;
  };
  assertEquals(await reading.past(failing), primary.port);
});

test("a standby that is further behind than the limit is not read until it has caught up", async () => {
  const { clock, standbys, where } = await openOthers();
  try {
    const resume = await holdReplay(standby.postgresql);
    await tested.database.sql`create table later (n integer)`;
    clock.aheadMs = LIMIT_MS;
    await standbys.look();
    assertEquals(await where(), primary.port);
    assert(standbys.lagMs()! > LIMIT_MS);
    await resume();
    await until(async () => {
      await standbys.look();
      return await where() === standby.postgresql.port;
    });
  } finally {
    await standbys.close();
  }
});

test("a former primary that went another way is not read, however much it has", async () => {
  const { standbys, where } = await openOthers();
  try {
    await standby.promote();
    // It does not know of its successor, and goes further than that.
    await asSuperuser(primary, async (sql) => {
      await sql`set synchronous_commit = local`;
      await sql`create table lost as select n, repeat('x', 1000) from generate_series(1, 2000) n`;
    });
    await primary.kill();
    await writeFile(join(primary.dataFolder, "standby.signal"), "");
    await primary.start();
    await until(() => hasLag(standbys, false));
    await until(async () => await where() === standby.postgresql.port);
    assert(await hasLag(standbys, false));
    assertEquals(standbys.reads.standby, 0);
  } finally {
    await standbys.close();
  }
});
