/**
 * How many orders a second the database takes by batches of `place_orders`, against pgbench's
 * TPC-B on the same server in the same run. No HTTP, no signatures: what is left above the goal is
 * what those may cost. `node --import tsx loadtest/bench/database.ts [seconds] [rounds]`
 */
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { openDatabase } from "../../packages/core/store/database.ts";
import { migrate } from "../../packages/core/store/migrate.ts";
import { openAccounts } from "../../packages/core/ledger/open_accounts.ts";
import { createExecutor } from "../../packages/core/trading/executor.ts";
import { orderItem, orderWork } from "../../packages/core/trading/orders.ts";
import { formatId } from "../../packages/protocol/mod.ts";
import { runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { initialisePgbench, runPgbench } from "./world/pgbench.ts";

const SECONDS = Number(process.argv[2] ?? 5);
const ROUNDS = Number(process.argv[3] ?? 3);
const IN_FLIGHT = Number(process.env.IN_FLIGHT ?? 32);
const PARTNERS = 100;
const PARAMETERS = "POST\n/v1/orders\n\n{}";

const random = (n: number) => crypto.getRandomValues(new Uint8Array(n));
const server = await runPostgreSQL({ durable: true });
try {
  const target = { socketFolder: server.socketFolder, port: server.port, database: "postgres" };
  await initialisePgbench(target);
  const database = openDatabase(server.socketUrl, { maxConnections: 8 });
  await migrate(database);
  for (let id = 1; id <= PARTNERS; id++) {
    await database.sql`
      insert into partners (client_id, name, settlement_iban)
      values (${`bank-${id}`}, 'Bank', 'SA0380000000608010167519')`;
    await openAccounts(database.sql, id);
  }
  await database.sql`
    update accounts set cash_halalas = 1000000000000000, bank_halalas = -1000000000000000,
      allocation_micrograms = 1000000000000000, vault_micrograms = -1000000000000000`;
  await database.sql`select make_nonce_partitions(${BigInt(nowSeconds())})`;

  for (let round = 0; round < ROUNDS; round++) {
    await database.sql.unsafe("checkpoint");
    const pgbench = await runPgbench(target, { clients: 8, seconds: SECONDS });
    await database.sql.unsafe("checkpoint");
    const hot = await orders(1);
    await database.sql.unsafe("checkpoint");
    const spread = await orders(PARTNERS);
    console.log(
      `pgbench ${pgbench.toFixed(0)}  hot ${hot.toFixed(0)} (${(hot / pgbench).toFixed(2)})` +
        `  100 partners ${spread.toFixed(0)} (${(spread / pgbench).toFixed(2)})`,
    );
  }

  async function orders(partners: number): Promise<number> {
    const quotes = await makeQuotes(partners, SECONDS * 20_000);
    await database.sql.unsafe("analyze quotes");
    const sizes: number[] = [];
    const executor = createExecutor(orderWork(database, Date.now), {
      now: Date.now,
      maxInFlight: Number(process.env.LANES ?? 1),
      observe: (size) => sizes.push(size),
    });
    const stop = performance.now() + SECONDS * 1_000;
    const before = process.cpuUsage();
    const serverBefore = serverCpuSeconds();
    let done = 0;
    const refused = new Map<string, number>();
    await Promise.all(Array.from({ length: IN_FLIGHT }, async () => {
      for (let quote = quotes.pop(); quote && performance.now() < stop; quote = quotes.pop()) {
        const nowMs = Date.now();
        const outcome = await executor.execute(orderItem({
          partner: quote.partner,
          idempotencyKey: crypto.randomUUID(),
          parameters: PARAMETERS,
          receivedAtMs: nowMs,
          request: { quoteId: formatId("qt", quote.id), clientReference: null },
          nonce: { value: crypto.randomUUID(), timestampSeconds: Math.floor(nowMs / 1_000) },
        }, random));
        if (outcome.ok) done += 1;
        else refused.set(outcome.code, (refused.get(outcome.code) ?? 0) + 1);
      }
    }));
    const used = process.cpuUsage(before);
    const served = (serverCpuSeconds() - serverBefore) * 1e6 / done;
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    console.log(
      `  ${partners} partners: batch ${mean.toFixed(1)}, node ${
        ((used.user + used.system) / done).toFixed(0)
      } µs an order, PostgreSQL ${served.toFixed(0)} µs, refused ${
        JSON.stringify([...refused])
      }, left ${quotes.length}`,
    );
    return done / SECONDS;
  }

  async function makeQuotes(partners: number, count: number) {
    const rows = await database.sql<{ quote_id: string; partner_id: number }[]>`
      insert into quotes (partner_id, quote_id, gold_micrograms, price_ten_thousandths, fee_halalas,
        vat_ppm, vat_halalas, total_halalas, price_as_of, created_at, expires_at, side)
      select 1 + n % ${partners}::integer, (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
        || '7' || substr(md5(random()::text), 1, 19))::uuid, 1000000, 4850000, 122, 0, 0, 48622, now(), now(), now() + interval '1 hour',
        'buy'
      from generate_series(0, ${count}::integer) n returning quote_id, partner_id`;
    return rows.map((row) => ({
      id: row.quote_id,
      partner: {
        partnerId: row.partner_id,
        settlementIban: "",
        settings: {
          quoteMinMicrograms: 1n,
          quoteMaxMicrograms: 1n,
          openQuotesLimit: 100,
          spreadPpm: 0n,
          feePpm: 0n,
        },
      },
    })).reverse();
  }
  await database.close();
} finally {
  await server.stop();
}

/** The processor time of the server's own processes: it tells costs apart from a busy machine. */
function serverCpuSeconds(): number {
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^[0-9]+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]!.split(" ");
      if (Number(fields[1]) === server.pid) ticks += Number(fields[11]) + Number(fields[12]);
    } catch { /* It has just ended. */ }
  }
  return ticks / 100;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
