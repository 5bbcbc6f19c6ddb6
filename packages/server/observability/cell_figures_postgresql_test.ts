import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { SOURCES } from "../../../test/support/metric_sources.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { untilWaiting } from "../../../test/support/until_waiting.ts";
import { readDatabaseFigures } from "./database_figures.ts";
import { createMetrics } from "./metrics.ts";

// (D53) Figures of cells: databases that may hang while control answers.

const [control, cell] = [await openTestDatabase(), await openTestDatabase()];
after(async () => {
  await cell.close();
  await control.close();
});

/** @param patienceMs as long as a scrape waits for a cell or for control, if that is to be found down */
const scrape = (patienceMs: { cell?: number; control?: number } = {}) =>
  createMetrics({
    ...SOURCES,
    fromDatabase: () =>
      readDatabaseFigures(control.app, Date.now(), {
        cellIds: ["b", "c"],
        cells: new Map([["b", cell.app]]),
        patienceMs: patienceMs.cell,
      }, patienceMs.control),
  }).text();

const gauge = (text: string, name: string) => new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1];

test("a cell that hangs, or cannot be used, is down and holds up no scrape", async () => {
  await control.database.sql.begin(async (sql) => {
    await sql`insert into cells (cell_id) values ('b')`;
    await sql`insert into partners (client_id, name, settlement_iban, cell_id)
      values ('of-b', 'Of B', 'SA0380000000608010167519', 'b')`;
    await sql`insert into cell_acts (act_id, cell_id, partner_id, name, subject_id, recorded_at)
      select gen_random_uuid(), 'b', partner_id, 'webhook.enable', gen_random_uuid(),
        now() - interval '2 minutes' from partners`;
    await sql`insert into partner_moves (move_id, partner_id, from_cell, to_cell, step, leave_act_id,
        enter_act_id, begun_at)
      select gen_random_uuid(), partner_id, 'b', 'main', 'switched', gen_random_uuid(),
        gen_random_uuid(), now() - interval '2 minutes' from partners`;
  });
  const well = await scrape();
  assertEquals(gauge(well, 'sabika_cell_up{cell="b"}'), "1");
  assertEquals(gauge(well, 'sabika_cell_up{cell="c"}'), "0");
  assertEquals(Math.floor(Number(gauge(well, 'sabika_cell_open_acts_seconds{cell="b"}')) / 10), 12);
  const move = gauge(well, 'sabika_move_open_seconds{partner="of-b",step="switched"}');
  assertEquals(Math.floor(Number(move) / 10), 12);

  await cell.database.sql.begin(async (sql) => {
    await sql`lock table balance_round in access exclusive mode`;
    // It ends while the lock is held.
    const hung = await scrape({ cell: 300 });
    assertEquals(gauge(hung, 'sabika_cell_up{cell="b"}'), "0");
    assertEquals(gauge(hung, "sabika_database_up"), "1");
  });
  assertEquals(gauge(await scrape(), 'sabika_cell_up{cell="b"}'), "1");
});

test("control that hangs is down and holds up no scrape", async () => {
  await control.database.sql.begin(async (sql) => {
    await sql`lock table balance_round in access exclusive mode`;
    const hung = await scrape({ control: 300 });
    assertEquals(gauge(hung, "sabika_database_up"), "0");
    assertEquals(gauge(hung, "sabika_ready"), "1");
    // The answer did not wait until the query was given up.
    await untilWaiting(control.database);
  });
  assertEquals(gauge(await scrape(), "sabika_database_up"), "1");
});
