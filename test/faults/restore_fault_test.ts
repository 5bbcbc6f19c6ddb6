/** F25, I1 to I5, I11: the database is restored to a second during a load. */
import { after, before, test } from "node:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { reconcile } from "@sabika/service/ledger";
import type { RunningPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { createTestAuthority } from "../support/test_certificates.ts";
import { testRecord } from "../secret_search/record.ts";
import {
  type Received,
  startTestReceiver,
  type TestReceiver,
} from "../support/webhook_receiver.ts";
import { backUp } from "../support/base_backup.ts";
import { type Archive, archiveAll, openArchive, restore } from "./backup.ts";
import { Caller, idOf } from "../support/history/caller.ts";
import { chanceOf, drawSeed } from "../support/history/chance.ts";
import { findBreaches } from "../support/history/watch_books.ts";
import { startWorkload } from "../support/history/workload.ts";
import { until } from "../support/until.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
let archive: Archive;
let receiver: TestReceiver;
let folder: string;
let backup: string | undefined;
let restored: RunningPostgreSQL | undefined;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sabika-restore-"));
  archive = await openArchive();
  const authority = await createTestAuthority();
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, authority.certificatePem);
  receiver = await startTestReceiver(await authority.issue({ ip: ["127.0.0.1"] }));
  world = await openWorld({
    postgresql: archive.settings,
    environment: { SABIKA_WEBHOOK_CA_FILE: caFile, SABIKA_WEBHOOK_ALLOW_LOOPBACK: "true" },
  });
});
after(async () => {
  await world?.close();
  if (restored !== undefined) {
    testRecord.dataFolder(restored.dataFolder);
    await restored.stop();
  }
  await receiver?.close();
  await archive?.remove();
  for (const path of [folder, backup && dirname(backup)]) {
    if (path) await rm(path, { recursive: true, force: true });
  }
});

interface Row {
  partner: number;
  id: string;
  /** The sequence number, of an event. */
  sequence?: bigint;
}

test("a copy restored to a random second is consistent, trades, and sends events under their ids (F25)", async (t) => {
  const seed = drawSeed();
  const chance = chanceOf(seed);
  const webhookUrl = `https://127.0.0.1:${receiver.port}/hook`;
  const banks: Caller[] = [];
  while (banks.length < 2) banks.push(await world.admit({ cashRiyals: 1_000_000, webhookUrl }));
  receiver.behave = () => ({ status: 204 });
  const load = startWorkload({ history: world.history, callers: banks, workers: 6, seed });
  await pause(1_000);
  backup = await backUp(world.postgresql);
  await pause(chance.below(4_000));
  // These calls were acknowledged, and so committed, before this second.
  const acknowledged = world.history.calls
    .filter(({ kind, outcome }) => kind === "order" && outcome === "ok");
  const [moment] = await world.database.sql<{ now: string }[]>`select clock_timestamp() as now`;
  await pause(2_000);
  await load.stop();
  await archiveAll(world.postgresql);
  for (const instance of world.instances) await instance.kill();

  const ordersOf = (sql: World["database"]["sql"]) =>
    sql<(Row & { order: string })[]>`
      select partner_id as partner, order_id::text as id, to_json(orders)::text as order
      from orders order by 1, 2`;
  const eventsOf = (sql: World["database"]["sql"]) =>
    sql<Row[]>`
      select partner_id as partner, 'evt_' || event_id as id, sequence from events order by 1, 3`;
  const allOrders = await ordersOf(world.database.sql);
  const allEvents = await eventsOf(world.database.sql);
  const deliveredBefore = [...receiver.received];
  restored = await restore(backup, archive, moment!.now);
  const database = openDatabase(restored.url, { maxConnections: 2 });
  try {
    const { sql } = database;
    assertEquals(await findBreaches({ database }), []);
    for (const bank of banks) assertEquals(await reconcile(database, bank), []);
    const kept = await ordersOf(sql);
    const byId = new Map(allOrders.map(({ id, order }) => [id, order]));
    for (const { id, order } of kept) assertEquals(order, byId.get(id), "an order that never was");
    const ids = new Set(kept.map(({ id }) => id));
    for (const order of acknowledged) {
      const id = idOf(order).replace("ord_", "");
      assert(ids.has(id), `${id} was acknowledged before, and is gone`);
    }
    assert(kept.length < allOrders.length, "nothing happened after the second");
    const keptEvents = await eventsOf(sql);
    const eventAt = new Map(
      allEvents.map(({ partner, sequence, id }) => [`${partner} ${sequence}`, id]),
    );
    for (const { partner, sequence, id } of keptEvents) {
      assertEquals(id, eventAt.get(`${partner} ${sequence}`));
    }
    t.diagnostic(`${kept.length} of ${allOrders.length} orders are older than the second`);

    // Events that the copy has not recorded as delivered are sent again, under their ids.
    await sql`update webhook_lanes set leased_until = now() where leased_until is not null`;
    receiver.received.length = 0;
    const instance = await world.startInstance(restored.url);
    const bank = new Caller(banks[0]!.partner, [instance.port]);
    const { input, key, body } = acknowledged.find(({ partner }) => partner === bank.partnerId)!;
    const repeated = await bank.write("order", input, { key });
    assertEquals([repeated.status, repeated.isReplay, repeated.body], [200, true, body]);
    const quoted = await bank.write("quote", '{"side":"buy","gold_grams":0.1}');
    assertEquals((await bank.write("order", `{"quote_id":"${idOf(quoted)}"}`)).status, 201);
    await until(
      async () => {
        const [row] = await sql<{ left: number }[]>`
        select count(*)::int as left from accounts
        left join webhook_lanes using (partner_id)
        where coalesce(next_sequence, 1) <= last_event`;
        return row!.left === 0;
      },
      30_000,
      "every lane is empty",
    );
    const now = new Set((await eventsOf(sql)).map(({ id }) => id));
    assert(receiver.received.length > 0);
    for (const event of receiver.received) assert(now.has(idOfEvent(event)), "an unknown event");
    const delivered = new Set([...deliveredBefore, ...receiver.received].map(idOfEvent));
    for (const id of now) assert(delivered.has(id), `${id} was never delivered`);
    t.diagnostic(`${receiver.received.length} events delivered after the restoration`);
    bank.close();
    await instance.stop();
    assertEquals(await findBreaches({ database }), []);
  } finally {
    await database.close();
  }
});

function idOfEvent({ headers }: Received): string {
  return headers["webhook-id"]!;
}
