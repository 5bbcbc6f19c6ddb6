/**
 * Every page and search of the console beside five million orders of 200 partners: p95 below 200 ms.
 * `npm run faults -- --long loadtest/console/console_pages_fault_test.ts`
 */
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { createOffice } from "@sabika/office";
import { createFixedPrice } from "@sabika/service/prices";
import { ROLES } from "@sabika/terms";
import { openConsoleApp, signedInPerson } from "../../test/support/console_app.ts";
import { sized } from "../../test/support/sized.ts";
import { openTestAdmin } from "../../test/support/test_admin.ts";
import { runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { listAddresses } from "./console_addresses.ts";
import { fillConsole } from "./fill_console.ts";
import { measurePages } from "./measure_pages.ts";

const SIZE = { partners: sized(20, 200), orders: sized(20_000, 5_000_000) };
/** How often each page is requested, and the most that the slowest 5 % of them may take. */
const [TIMES, MOST_MS] = [sized(2, 40), sized(Infinity, 200)];
const ORIGIN = "https://console.sabika.example";

// On the disk: it takes ten gigabytes.
const folder = await mkdtemp(join(tmpdir(), "sabika-console-"));
const postgresql = await runPostgreSQL({
  durable: false,
  folder: join(folder, "data"),
  settings: { max_wal_size: "4GB" },
});
after(async () => {
  await postgresql?.stop();
  await rm(folder, { recursive: true, force: true });
});

test("every page and search of the console is quick beside years of trade", async (t) => {
  const admin = await openTestAdmin("sandbox", { server: postgresql.url });
  const { sql } = admin.testDatabase.database;
  const startMs = performance.now();
  await fillConsole(admin, SIZE, (line) => {
    t.diagnostic(`${((performance.now() - startMs) / 1000).toFixed(0)} s: ${line}`);
  });
  const database = openDatabase(admin.testDatabase.urlAs("sabika_operator"), { maxConnections: 4 });
  const errors: unknown[] = [];
  const app = openConsoleApp({
    office: createOffice({ ...admin, database, now: Date.now }, ORIGIN),
    viewer: signedInPerson("amal", ROLES),
    prices: createFixedPrice({ midTenThousandths: 4_850_000n }),
    errors,
  });
  const read = async (path: string) => {
    const answer = await app.request(`${ORIGIN}/en${path}`);
    // A search leads to the only thing that it finds.
    const expected = path.startsWith("/search") ? [200, 303] : [200];
    assert(expected.includes(answer.status), `${path}: ${answer.status} ${errors}`);
    return await answer.text();
  };
  const addresses = await listAddresses(sql);
  const measured = await measurePages(addresses, {
    read,
    times: TIMES,
    sessions: async () => {
      const rows = await sql<{ pid: number }[]>`
        select pid from pg_stat_activity where datname = current_database() and usename like 'sabika_operator%'`;
      return rows.map(({ pid }) => pid);
    },
  });
  t.diagnostic(`load of the machine: ${loadavg().map((load) => load.toFixed(1)).join(" ")}`);
  t.diagnostic("p50 ms, p95 ms, processor ms a request of the console, of the database");
  for (const { name, p50Ms, p95Ms, consoleMs, sessionMs } of measured) {
    const figures = [p50Ms, p95Ms, consoleMs, sessionMs].map((ms) => ms.toFixed(1).padStart(7));
    t.diagnostic(`${figures.join("")}  ${name}`);
  }
  const paths = new Set(addresses.flatMap(({ paths }) => paths.map((path) => path.split("?")[0])));
  const linked = [...(await read("")).matchAll(/<a href="\/en(\/[a-z/]+)"/g)].map(([, path]) =>
    path!
  );
  assertEquals(linked.filter((path) => !paths.has(path)), []);
  assertEquals(measured.filter(({ p95Ms }) => p95Ms >= MOST_MS).map(({ name }) => name), []);
  await database.close();
  await admin.close();
});
