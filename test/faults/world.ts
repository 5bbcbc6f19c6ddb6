import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "@sabika/database";
import { makeServerCertificate } from "@sabika/identity/certificates";
import { type PartnerAdminContext, updatePartner } from "@sabika/office/partners";
import { setPriceOrigin } from "@sabika/service/prices";
import { migrate } from "@sabika/service/schema";
import { giveGoldInCell } from "./added_cell.ts";
import { freePort } from "../../tools/programs/free_port.ts";
import { runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { testRecord } from "../secret_search/record.ts";
import { adminOn, random } from "../support/test_admin.ts";
import { ownTlsFiles } from "../support/server/server_process.ts";
import { PRIMARY_SETTINGS, runStandby } from "../support/standby.ts";
import { BASE_URL } from "../support/service_requests.ts";
import { admitWithGold, type ServicePartner } from "../support/service_partner.ts";
import { Caller } from "./caller.ts";
import { type CuttingProxy, startCuttingProxy } from "./cutting_proxy.ts";
import { until } from "../support/until.ts";
import { type ServerProcess, startServerProcess } from "./server_process.ts";

/** A durable PostgreSQL of its own and real server processes on it. */
export type World = Awaited<ReturnType<typeof openWorld>>;

export interface WorldOptions {
  instances?: number;
  environment?: Record<string, string>;
  postgresql?: Record<string, string>;
  /** Whether there is a synchronous standby, which instances follow when it is promoted. */
  standby?: boolean;
}

const ALLOCATION_MICROGRAMS = 100_000_000_000n;

/** Opens a world; `close` ends all of its processes. */
export async function openWorld(options: WorldOptions = {}) {
  const { instances: count = 2 } = options;
  const closers: (() => Promise<unknown> | void)[] = [];
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), "sabika-fault-"));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const postgresql = await runPostgreSQL({
      durable: true,
      settings: { ...options.standby && PRIMARY_SETTINGS, ...options.postgresql },
    });
    closers.push(async () => {
      testRecord.dataFolder(postgresql.dataFolder);
      await postgresql.stop();
    });
    const standby = options.standby
      ? await runStandby(postgresql, { settings: options.postgresql ?? {} })
      : undefined;
    closers.push(() => standby?.close());
    const url = standby?.followed(postgresql.url) ?? postgresql.url;
    const database = openDatabase(url, { maxConnections: 4, applicationName: "fault" });
    closers.push(() => database.close());
    await migrate(database);
    testRecord.secretsIn(postgresql.url);
    const admin = await adminOn(database, "sandbox", Date.now);
    const { masterKeyText: masterKey } = admin;
    await setPriceOrigin(admin, { source: "fixed", midTenThousandths: 4_000_000n });
    const environment = {
      ...await serverEnvironment(folder, admin, masterKey),
      ...options.environment,
    };
    const startOn = (databaseUrl: string, port: number) =>
      startServerProcess(port, { ...environment, SABIKA_DATABASE_URL: databaseUrl });
    const proxies: CuttingProxy[] = [];
    const starting: Promise<ServerProcess>[] = [];
    for (let number = 0; number < count; number++) {
      const proxy = await startCuttingProxy(postgresql.port);
      proxies.push(proxy);
      closers.push(() => proxy.close());
      const databaseUrl = url.replace(`@127.0.0.1:${postgresql.port}`, `@127.0.0.1:${proxy.port}`);
      starting.push(startOn(databaseUrl, await freePort()));
    }
    const started = await Promise.allSettled(starting);
    const instances: ServerProcess[] = [];
    for (const one of started) {
      if (one.status === "rejected") continue;
      instances.push(one.value);
      closers.push(() => one.value.kill());
    }
    const failed = started.find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;

    const callers: Caller[] = [];
    closers.push(() => callers.forEach((caller) => caller.close()));
    const ports = instances.map(({ port }) => port);
    /** Admits a partner, with 100 kg of gold to buy, a token, and money when asked for. */
    const admit = async (
      options: { cashRiyals?: number; webhookUrl?: string; cell?: Database } = {},
    ) => {
      const partner = await admitBank(admin, `bank-${callers.length + 1}`, options);
      const caller = new Caller(partner, ports);
      callers.push(caller);
      await letIn(caller, ports.length);
      await fund(caller, options.cashRiyals ?? 0);
      return caller;
    };
    /** Starts one more instance, on this database, without a proxy. */
    const startInstance = async (databaseUrl: string) => {
      const started = await startOn(databaseUrl, await freePort());
      closers.push(() => started.kill());
      return started;
    };
    return {
      postgresql,
      standby,
      database,
      admin,
      masterKey,
      instances,
      proxies,
      admit,
      startInstance,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A partner with 100 kg of gold to buy, whose limits no load of a test reaches. */
export async function admitBank(
  admin: PartnerAdminContext,
  clientId: string,
  { webhookUrl, cell }: { webhookUrl?: string; cell?: Database } = {},
): Promise<ServicePartner> {
  const gold = cell === undefined ? ALLOCATION_MICROGRAMS : 0n;
  const partner = await admitWithGold(admin, clientId, gold, cell && { cell: "b" });
  if (cell !== undefined) await giveGoldInCell(cell, partner.partnerId, ALLOCATION_MICROGRAMS);
  const limit = { perSecond: 20_000, burst: 40_000 };
  await updatePartner(admin, clientId, {
    openQuotesLimit: 100_000,
    rateLimits: { token: limit, read: limit, write: limit, signed: limit, nonces: limit },
  });
  await admin.database.sql`
    update partners set webhook_url = ${webhookUrl ?? null}
    where partner_id = ${partner.partnerId}`;
  return partner;
}

/** Credits riyals, as many calls as the bound of one call asks for. */
async function fund(caller: Caller, riyals: number): Promise<void> {
  for (let left = riyals; left > 0; left -= 10_000_000) {
    const amount = Math.min(left, 10_000_000);
    const funded = await caller.write("fund", `{"amount_sar":${amount}}`);
    if (funded.outcome !== "ok") throw new Error(`no money: ${funded.status} ${funded.code}`);
  }
}

async function serverEnvironment(folder: string, admin: PartnerAdminContext, masterKey: string) {
  const { authorities } = admin;
  const hosts = ["localhost", "127.0.0.1"];
  const server = await makeServerCertificate({ authorities, hosts, nowMs: Date.now(), random });
  return {
    ...await ownTlsFiles({ ...server, clientCaPem: authorities.clientCaPem }, folder),
    SABIKA_ENVIRONMENT: "sandbox",
    SABIKA_BASE_URL: BASE_URL,
    SABIKA_MASTER_KEY: masterKey,
    SABIKA_ACCESS_LOG: "none",
  };
}

/** Every instance learns of a new partner by its next poll of the register. */
async function letIn(caller: Caller, instances: number): Promise<void> {
  const health = { method: "GET", target: "/health", headers: [["Host", "sabika.test"]] } as const;
  for (let instance = 0; instance < instances; instance++) {
    await until(
      async () => (await caller.send(health, { instance })).status === 200,
      10_000,
      `${caller.partner.clientId} is let in`,
      50,
    );
  }
  await caller.token();
}
