/** F85: a cell's primary dies under load, and its own synchronous standby is promoted. */
import { test } from "node:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, assertEquals } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { migrate } from "@sabika/service/schema";
import { runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { PRIMARY_SETTINGS, runStandby } from "../support/standby.ts";
import { until } from "../support/until.ts";
import { addCellTo } from "./added_cell.ts";
import { History } from "./history.ts";
import { findBreaches, OF_ONE_CELL } from "./invariants.ts";
import { startLoad } from "./load.ts";
import { checkReplies, tradeAgain } from "./outage.ts";
import { crash } from "./postgresql_processes.ts";
import { seeded } from "./seeded.ts";
import { openWorld } from "./world.ts";

const chance = seeded("promoted cell");

test("a cell's promoted standby has every acknowledged order, and only its partners notice (F85)", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sabika-promoted-"));
  const settings = { ...PRIMARY_SETTINGS, wal_retrieve_retry_interval: "100ms" };
  const primary = await runPostgreSQL({ durable: true, settings });
  const standby = await runStandby(primary, { settings });
  const url = standby.followed(primary.url);
  const cell = openDatabase(url, { maxConnections: 2 });
  await migrate(cell);
  const file = join(folder, "cells");
  await writeFile(file, `b ${url}\n`, { mode: 0o600 });
  const world = await openWorld({
    postgresql: { wal_level: "logical" },
    environment: { SABIKA_CELLS_FILE: file },
  });
  try {
    await addCellTo(world, cell);
    const banks = [await world.admit({ cell }), await world.admit({ cell })];
    await tradeAgain(banks);
    const [own, others] = [new History(), new History()];
    const common = { workers: 4, instances: 2, chance };
    const [caller, other] = [await world.admit({ cell }), await world.admit()];
    await own.call(caller, "fund", '{"amount_sar":10000000}');
    await others.call(other, "fund", '{"amount_sar":10000000}');
    const loads = [
      startLoad({ ...common, history: own, callers: [caller] }),
      startLoad({ ...common, history: others, callers: [other] }),
    ];
    const [load] = loads;
    try {
      await until(() => load!.ordered >= 20, 30_000, "orders flow");
      await crash(primary);
      await standby.promote();
      t.diagnostic(`trading again after ${await tradeAgain(banks)} ms`);
      const already = load!.ordered;
      await until(() => load!.ordered >= already + 20, 30_000, "orders flow again");
    } finally {
      await Promise.all(loads.map((one) => one.stop()));
    }
    t.diagnostic(JSON.stringify([own.counts(), others.counts()]));
    checkReplies(own);
    for (const { replies } of others.operations) {
      assert(replies.every(({ status }) => status < 500), JSON.stringify(replies));
    }
    await own.resolve(2);
    const promoted = openDatabase(standby.postgresql.url, { maxConnections: 2 });
    assertEquals(await own.contradictions(promoted.sql), []);
    assertEquals(await others.contradictions(world.database.sql), []);
    assertEquals(await findBreaches(promoted, OF_ONE_CELL), []);
    await promoted.close();
    // Control's rows still come.
    await world.admit({ cell });
  } finally {
    await world.close();
    await cell.close();
    await standby.close();
    await primary.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
