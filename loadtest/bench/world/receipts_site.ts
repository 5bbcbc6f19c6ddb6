import http from "node:http";
import process from "node:process";
import { text } from "node:stream/consumers";
import { type Database, openDatabase } from "@sabika/database";
import type { AdminContext } from "@sabika/service/audit";
import { createFixedPrice } from "@sabika/service/prices";
import { createReceiptSigner, makeReceipts } from "@sabika/service/receipts";
import { createTrading } from "@sabika/service/trading";
import { addBars } from "@sabika/service/vault";
import type { RunningPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import type { Lane } from "../loader/job.ts";
import { random } from "../random.ts";
import { childrenOf, processTime } from "./cpu_time.ts";
import { createSite, type RunningService, type Site } from "./site.ts";
import { tradeOrders } from "./trade_orders.ts";

/** Partners that ask; the others are rows alone. */
const ASKING = 20;
const ORDERS_OF_EACH = 4;
const IN_FLIGHT = 8;

/** Partners, bars and orders without receipts. */
export interface ReceiptsSite {
  /** Makes the receipts of the next orders as the worker does; returns microseconds of processor time for each. */
  make(orders: number): Promise<number>;
  /**
   * Asks a server for receipts that were made and for as many that are made then, and as often for balances, several
   * at once; returns milliseconds.
   */
  ask(count: number): Promise<Readonly<Record<"made" | "fresh" | "balances", number[]>>>;
  /** Looks for orders without receipt where there are none; returns microseconds of processor time a look. */
  look(times: number): Promise<number>;
  close(): Promise<void>;
}

interface Order {
  readonly partner: number;
  readonly orderId: string;
}

const receiptOf = ({ orderId }: Order) => `/v1/orders/ord_${orderId}/receipt`;

/** Makes so many partners with four orders each, and so many bars. */
export async function openReceiptsSite(
  postgresql: RunningPostgreSQL,
  { partners, bars }: { partners: number; bars: number },
): Promise<ReceiptsSite> {
  const site = await createSite(postgresql, "receipts", ASKING);
  const database = openDatabase(site.databaseUrl, { maxConnections: 4, applicationName: "bench" });
  const { sql } = database;
  const { secrets } = site.deployment;
  await addAll(database, site, bars);
  const prices = createFixedPrice({ midTenThousandths: 4_850_000n });
  const trading = createTrading({ database, prices, random, now: Date.now });
  const server = await site.startServer({ SABIKA_WEBHOOK_DELIVERY: "off" });
  const asking = site.partners.map(({ partnerId }) => partnerId);
  let lanes = await site.lanes(site.partners, ASKING * ORDERS_OF_EACH);

  /** Executes an order for each quote of the partners that ask. */
  const tradeAll = () =>
    tradeOrders({
      trading,
      partnerIds: asking,
      quotes: lanes.map(({ quoteIds }) => quoteIds),
      inFlight: 64,
      seconds: 60,
    });
  await tradeAll();
  await copyPartners(database, partners - ASKING);
  const signer = createReceiptSigner({ control: database, secrets, now: Date.now });
  const agent = new http.Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  const processor = () =>
    childrenOf(postgresql.pid).reduce((sum, { pid }) => sum + processTime(pid), 0) +
    process.cpuUsage().user + process.cpuUsage().system;

  const get = (partner: number, path: string) =>
    timeRead({ agent, site, server, lane: lanes[asking.indexOf(partner)]!, path });

  return {
    async make(orders) {
      const count = async () =>
        (await sql<{ n: number }[]>`select count(*)::int as n from receipts`)[0]!.n;
      const before = await count();
      const startUs = processor();
      for (let events = 0; events < orders && await makeReceipts(database, signer); events += 500);
      const spentUs = processor() - startUs;
      return spentUs / (await count() - before);
    },
    async look(times) {
      while (await makeReceipts(database, signer) > 0);
      const startUs = processor();
      for (let n = 0; n < times; n++) await makeReceipts(database, signer);
      return (processor() - startUs) / times;
    },
    async ask(count) {
      const asked = `{${asking.join(",")}}`;
      const made = await sql<Order[]>`
        select partner_id as partner, order_id as "orderId" from receipts
        where partner_id = any (${asked}::text::integer[]) limit ${count}`;
      lanes = await site.lanes(site.partners, count);
      await tradeAll();
      const fresh = await sql<Order[]>`
        select partner_id as partner, order_id as "orderId"
        from orders o left join receipts r using (partner_id, order_id)
        where r.order_id is null and partner_id = any (${asked}::text::integer[]) limit ${count}`;
      const times = { made: [] as number[], fresh: [] as number[], balances: [] as number[] };
      let next = 0;
      await Promise.all(Array.from({ length: IN_FLIGHT }, async () => {
        for (let turn = next++; turn < Math.min(made.length, fresh.length); turn = next++) {
          const [old, young] = [made[turn]!, fresh[turn]!];
          times.made.push(await get(old.partner, receiptOf(old)));
          times.fresh.push(await get(young.partner, receiptOf(young)));
          times.balances.push(await get(young.partner, "/v1/balances"));
        }
      }));
      return times;
    },
    async close() {
      agent.destroy();
      await database.close();
      await site.close();
    },
  };
}

/** Makes partners with the rows of the first one's orders. */
async function copyPartners({ sql }: Database, count: number) {
  const copied =
    `generate_series((select max(partner_id) + 1 from accounts), (select max(partner_id) + ${count}
    from accounts)) as n`;
  await sql.begin(async (tx) => {
    await tx.unsafe("set local session_replication_role = replica");
    await tx.unsafe("create temporary table copies on commit drop as select n from " + copied);
    for (const table of ["orders", "events", "evidence", "accounts"]) {
      await tx.unsafe(
        `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('partner_id', n))).*
        from ${table} t, copies where t.partner_id = (select min(partner_id) from partners)`,
      );
    }
    await tx.unsafe(`insert into partners overriding system value
      select (jsonb_populate_record(t, jsonb_build_object('partner_id', n, 'client_id', 'bank-' || n))).*
      from partners t, copies where t.partner_id = (select min(partner_id) from partners)`);
  });
  await sql.unsafe("analyze");
}

/** Adds bars to the vault, a thousand at a time. */
async function addAll(database: Database, { deployment }: Site, bars: number): Promise<void> {
  const admin: AdminContext = {
    database,
    environment: deployment.environment,
    actor: { who: "bench", from: "loadtest" },
    now: Date.now,
    random,
  };
  for (let first = 0; first < bars; first += 1_000) {
    const added = await addBars(
      admin,
      Array.from({ length: Math.min(1_000, bars - first) }, (_, n) => ({
        serial: `BENCH-${first + n}`,
        refiner: "Bench",
        finenessTenThousandths: 9_999,
        weightMicrograms: 12_441_390_720n,
      })),
    );
    if (!added.ok) throw new Error(`bars were refused: ${added.detail}`);
  }
}

/** Sends a read of a partner; returns the milliseconds until its answer was there. */
async function timeRead({ agent, site, server, lane, path }: {
  agent: http.Agent;
  site: Site;
  server: RunningService;
  lane: Lane;
  path: string;
}): Promise<number> {
  const startMs = performance.now();
  const sent = http.request({
    agent,
    socketPath: server.target.kind === "socket" ? server.target.path : "",
    path,
    headers: {
      ...lane.headers,
      host: new URL(site.baseUrl).host,
      authorization: `Bearer ${lane.accessToken}`,
    },
  });
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    sent.once("response", resolve).once("error", reject).end();
  });
  const body = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${body}`);
  return performance.now() - startMs;
}
