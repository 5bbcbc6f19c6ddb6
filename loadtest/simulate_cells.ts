/** `node tools/run.mjs loadtest/simulate_cells.ts`: what a thousand cells and a million partners come to. */
import process from "node:process";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createRegister } from "@sabika/core/partners";
import type { Sql } from "@sabika/core/store";
import { readVaultReport } from "@sabika/core/vault";
import { readEndpointStates } from "@sabika/core/webhooks";
import { runPostgreSQL } from "../tools/programs/run_postgresql.ts";
import { median, percentile } from "./bench/statistics.ts";
import { columns } from "./bench/table.ts";
import { createSite, type Site } from "./bench/world/site.ts";

const { values } = parseArgs({
  options: {
    cells: { type: "string", default: "1000" },
    partners: { type: "string", default: "1000000" },
    measured: { type: "string", default: "20000" },
    instances: { type: "string", default: "8" },
  },
});
const [cells, partners, measured, instances] = [
  ...[values.cells, values.partners, values.measured, values.instances].map(Number),
] as [number, number, number, number];

/** As `SABIKA_DATABASE_CONNECTIONS` is by default, and what a server has for all else. */
const CONNECTIONS_A_CELL = 8 + 11;
const POLLS_A_SECOND = 1_000 / 300;
const ROUNDS = 200;
/** How many cells are asked at a time where that is bounded. */
const AT_A_TIME = 32;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Gives the site so many partners more, each with the credentials that the first one has. */
async function fill(sql: Sql, count: number): Promise<void> {
  await sql`insert into partners (client_id, name, settlement_iban, webhook_url)
    select 'simulated-' || n, 'Bank ' || n, 'SA0380000000608010167519', 'https://bank.example/'
    from generate_series(1, ${count}::integer) n`;
  await sql`insert into certificates (partner_id, certificate_hash, serial, subject, pem, valid_from,
      valid_until)
    select p.partner_id, sha256(p.client_id::bytea), md5(p.client_id), c.subject, c.pem, c.valid_from,
      c.valid_until
    from partners p, certificates c where p.client_id like 'simulated-%'`;
  await sql`insert into client_secrets (partner_id, secret_id, secret_hash, valid_from)
    select p.partner_id, gen_random_uuid(), s.secret_hash, s.valid_from
    from partners p, client_secrets s where p.client_id like 'simulated-%'`;
  await sql`insert into signing_keys (partner_id, key_id, public_jwk, valid_from)
    select p.partner_id, 'sk-' || p.partner_id, s.public_jwk, s.valid_from
    from partners p, signing_keys s where p.client_id like 'simulated-%'`;
  await sql`insert into source_addresses (partner_id, cidr)
    select partner_id, '192.0.2.1/32' from partners`;
  await sql`select count(open_accounts(partner_id)) from partners where client_id like 'simulated-%'`;
  await sql.unsafe(
    "vacuum (analyze) partners, certificates, client_secrets, signing_keys, accounts",
  );
}

async function millisecondsOf(run: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await run();
  return performance.now() - startMs;
}

/** The times of a call, by turns with nothing else. */
async function timesOf(run: () => Promise<unknown>, rounds = ROUNDS): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await millisecondsOf(run));
  return times;
}

/** Median time of asking all cells, so many at a time, where each takes one of these times by chance. */
function askAll(times: readonly number[], atATime: number): number {
  const whole = Array.from({ length: ROUNDS }, () => {
    const busy = new Array<number>(Math.min(atATime, cells)).fill(0);
    for (let cell = 0; cell < cells; cell++) {
      const next = busy.indexOf(Math.min(...busy));
      busy[next]! += times[Math.floor(Math.random() * times.length)]!;
    }
    return Math.max(...busy);
  });
  return median(whole);
}

/** The register in control's database and in an instance, and what following it takes. */
async function measureDirectory({ database, deployment }: Site) {
  const { sql } = database;
  await fill(sql, measured);
  const [size] = await sql<{ bytes: number }[]>`
    select sum(pg_total_relation_size(t::regclass))::float8 as bytes from unnest(array['partners',
      'certificates', 'client_secrets', 'signing_keys', 'source_addresses']) t`;
  collectGarbage();
  const before = process.memoryUsage().rss;
  const { secrets } = deployment;
  const register = createRegister({ database, secrets, now: Date.now, pollMs: 3_600_000 });
  const readMs = await millisecondsOf(() => register.refresh());
  collectGarbage();
  const memory = process.memoryUsage().rss - before;
  const polls = await timesOf(() => register.refresh());
  const changes = await timesOf(async () => {
    await sql`update register_state set revision = revision + 1`;
    await sql`update partners set revision = (select revision from register_state)
      where client_id = 'simulated-1'`;
    await register.refresh();
  }, 20);
  register.close();
  return {
    stored: size!.bytes / measured,
    memory: memory / measured,
    readMs: readMs / measured,
    pollMs: median(polls),
    changeMs: median(changes),
  };
}

/** A cell with its share of the partners: how long it takes to say what an office asks of all. */
async function measureCell({ database: { sql } }: Site) {
  await fill(sql, Math.ceil(partners / cells));
  return {
    endpoints: await timesOf(() => readEndpointStates(sql, Date.now())),
    reserves: await timesOf(() => readVaultReport(sql), 50),
  };
}

const postgresql = await runPostgreSQL({ durable: false });
try {
  const control = await createSite(postgresql, "control", 1);
  const directory = await measureDirectory(control);
  await control.close();
  const cell = await createSite(postgresql, "cell", 1);
  const times = await measureCell(cell);
  await cell.close();
  const [megabytes, seconds] = [1_000_000, 1_000];
  const fixed = (value: number, digits = 0) => value.toFixed(digits);
  const sockets = instances * cells * CONNECTIONS_A_CELL;
  process.stdout.write(columns([
    [`${cells} cells, ${partners} partners, ${instances} instances`, "value", "how it was had"],
    ["register in control, MB", fixed(directory.stored * partners / megabytes), `× ${measured}`],
    [
      "register in an instance, MB",
      fixed(directory.memory * partners / megabytes),
      `× ${measured}`,
    ],
    ["first read of it, s", fixed(directory.readMs * partners / seconds), `× ${measured}`],
    ["a poll without a change, ms", fixed(directory.pollMs, 1), "measured"],
    ["a poll with one, ms", fixed(directory.changeMs, 1), `of ${measured}`],
    ["polls a second", fixed(instances * POLLS_A_SECOND), "reckoned"],
    ["a cell's endpoints, p50 ms", fixed(median(times.endpoints), 1), "measured"],
    ["its p99 ms", fixed(percentile(times.endpoints, 0.99), 1), "measured"],
    [
      `all cells, ${AT_A_TIME} at a time, s`,
      fixed(askAll(times.endpoints, AT_A_TIME) / seconds, 1),
      "simulated",
    ],
    ["a cell's reserves, p50 ms", fixed(median(times.reserves), 1), "measured"],
    [
      `all cells, ${AT_A_TIME} at a time, s`,
      fixed(askAll(times.reserves, AT_A_TIME) / seconds, 1),
      "simulated",
    ],
    ["connections of an instance", fixed(cells * CONNECTIONS_A_CELL), "reckoned"],
    ["connections of a cell", fixed(sockets / cells), "reckoned"],
  ]));
} finally {
  await postgresql.stop();
}
