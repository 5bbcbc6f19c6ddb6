import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { type Database, openDatabase } from "@sabika/database";
import { setPriceOrigin } from "@sabika/service/prices";
import { migrate } from "@sabika/service/schema";
import { freePort } from "../../tools/programs/free_port.ts";
import { type RunningPostgreSQL, runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { testRecord } from "../secret_search/record.ts";
import { Caller } from "../support/history/caller.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { check, describeViolation } from "../support/history/checker.ts";
import { type Call, History } from "../support/history/history.ts";
import { settle } from "../support/history/settle.ts";
import { readSnapshot } from "../support/history/snapshot.ts";
import { tradeOnce } from "../support/history/trade_once.ts";
import { makeUnlimited } from "../support/history/unlimited.ts";
import { findBreaches } from "../support/history/watch_books.ts";
import { ownTlsFiles } from "../support/server/server_process.ts";
import { admitWithGold } from "../support/service_partner.ts";
import { BASE_URL, HEALTH } from "../support/service_requests.ts";
import { PRIMARY_SETTINGS, runStandby, type Standby } from "../support/standby.ts";
import { adminOn, makeServerTls } from "../support/test_admin.ts";
import { until } from "../support/until.ts";
import { type CuttingLink, openCuttingLink } from "./cutting_link.ts";
import { ServerProcess } from "./server_process.ts";

/** The parts of a world; by default two instances on one database. */
export interface WorldOptions {
  readonly instances?: number;
  readonly environment?: Record<string, string>;
  readonly postgresql?: Record<string, string>;
  /** Whether there is a synchronous standby, which instances follow when it is promoted. */
  readonly standby?: boolean;
  /** The database of a cell `b`, which the test adds. */
  readonly cellUrl?: string;
}

/** The money and webhook endpoint of a partner; by default neither. */
export interface BankOptions {
  readonly cashRiyals?: number;
  readonly webhookUrl?: string;
}

const ALLOCATION_MICROGRAMS = 100_000_000_000n;
const TRADE_AGAIN_MS = 30_000;

/** A durable PostgreSQL with real server processes on it. */
export class World {
  readonly postgresql: RunningPostgreSQL;
  readonly standby: Standby | undefined;
  readonly database: Database;
  readonly admin: Awaited<ReturnType<typeof adminOn>>;
  readonly instances: readonly ServerProcess[];
  /** The links between each instance and the database. */
  readonly links: readonly CuttingLink[];
  /** All calls of the callers that were admitted here. */
  readonly history = new History();
  readonly #callers: Caller[] = [];
  readonly #environment: Record<string, string>;
  readonly #closers: (() => Promise<unknown> | void)[];

  constructor(
    parts: Pick<World, "postgresql" | "standby" | "database" | "admin" | "instances" | "links">,
    environment: Record<string, string>,
    closers: (() => Promise<unknown> | void)[],
  ) {
    this.postgresql = parts.postgresql;
    this.standby = parts.standby;
    this.database = parts.database;
    this.admin = parts.admin;
    this.instances = parts.instances;
    this.links = parts.links;
    this.#environment = environment;
    this.#closers = closers;
    closers.push(() => this.#callers.forEach((caller) => caller.close()));
  }

  /** Admits a partner with a token and 100 kg of gold to buy, by default without money. */
  async admit(
    { cashRiyals = 0, webhookUrl }: BankOptions = {},
    instances: readonly ServerProcess[] = this.instances,
  ): Promise<Caller> {
    const name = `bank-${this.#callers.length + 1}`;
    const partner = await admitWithGold(this.admin, name, ALLOCATION_MICROGRAMS);
    await makeUnlimited(this.admin, partner, webhookUrl ?? null);
    const ports = instances.map(({ port }) => port);
    const caller = new Caller(partner, ports, { history: this.history });
    this.#callers.push(caller);
    // Every instance learns of the partner with its next poll of the register.
    for (const instance of ports.keys()) {
      const isLetIn = async () => (await caller.sendRaw(HEALTH, { instance })).status === 200;
      await until(isLetIn, 10_000, `${name} is let in`, 50);
    }
    // A call credits at most ten million riyals.
    for (let left = cashRiyals; left > 0; left -= 10_000_000) {
      const amount = Math.min(left, 10_000_000);
      const funded = await caller.write("fund", `{"amount_sar":${amount}}`);
      assertEquals(funded.outcome, "ok", `no money: ${funded.status} ${funded.code}`);
    }
    return caller;
  }

  /** Admits partners with ten million riyals each. */
  async admitRich(count: number): Promise<Caller[]> {
    const callers: Caller[] = [];
    while (callers.length < count) callers.push(await this.admit({ cashRiyals: 10_000_000 }));
    return callers;
  }

  /** Starts another instance on this database, without a link. */
  async startInstance(databaseUrl: string): Promise<ServerProcess> {
    const environment = { ...this.#environment, SABIKA_DATABASE_URL: databaseUrl };
    const instance = new ServerProcess(await freePort(), environment);
    this.#closers.push(() => instance.kill());
    await instance.start();
    return instance;
  }

  /**
   * Settles every call whose outcome is unknown, and throws unless all answers agree with the database
   * and every invariant holds. No call may be in flight.
   */
  async check(): Promise<void> {
    const { database } = this;
    const settledMs = Date.now();
    assertEquals(await settle(this.history, this.#callers), [], "these keys stay unknown");
    const partners = this.#callers.map(({ partnerId }) => partnerId);
    const tables = await readSnapshot(database.sql, partners);
    assertEquals(check(this.history.calls, tables, settledMs).map(describeViolation), []);
    assertEquals(await findBreaches({ database }), []);
  }

  /** Waits at most 30 s (I12) until each instance trades with its caller; returns the milliseconds. */
  tradeAgain(callers: readonly Caller[]): Promise<number> {
    const allTrade = async () =>
      (await Promise.all(callers.map((caller, instance) => tradeOnce(caller, { instance }))))
        .every((failure) => failure === undefined);
    return until(allTrade, TRADE_AGAIN_MS, "all instances trade again");
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    await closeAll(this.#closers);
  }
}

async function closeAll(closers: (() => Promise<unknown> | void)[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

/** Opens a world; its `close` ends all processes. */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { instances: count = 2, cellUrl } = options;
  const closers: (() => Promise<unknown> | void)[] = [];
  try {
    const folder = temporaryFolder();
    const settings = {
      ...cellUrl !== undefined && { wal_level: "logical" },
      ...options.postgresql,
    };
    const postgresql = await runPostgreSQL({
      durable: true,
      settings: { ...options.standby && PRIMARY_SETTINGS, ...settings },
    });
    closers.push(async () => {
      testRecord.dataFolder(postgresql.dataFolder);
      await postgresql.stop();
    });
    const standby = options.standby ? await runStandby(postgresql, { settings }) : undefined;
    closers.push(() => standby?.close());
    const url = standby?.followed(postgresql.url) ?? postgresql.url;
    const database = openDatabase(url, { maxConnections: 4, applicationName: "fault" });
    closers.push(() => database.close());
    await migrate(database);
    testRecord.secretsIn(postgresql.url);
    const admin = await adminOn(database, "sandbox", Date.now);
    await setPriceOrigin(admin, { source: "fixed", midTenThousandths: 4_000_000n });
    const environment = { ...await serverEnvironment(folder, admin), ...options.environment };
    if (cellUrl !== undefined) {
      environment["SABIKA_CELLS_FILE"] = join(folder, "cells");
      await writeFile(environment["SABIKA_CELLS_FILE"], `b ${cellUrl}\n`, { mode: 0o600 });
    }
    const links: CuttingLink[] = [];
    const instances: ServerProcess[] = [];
    while (instances.length < count) {
      const link = await openCuttingLink(postgresql.port);
      closers.push(() => link.close());
      links.push(link);
      const databaseUrl = url.replace(`@127.0.0.1:${postgresql.port}`, `@127.0.0.1:${link.port}`);
      const settings = { ...environment, SABIKA_DATABASE_URL: databaseUrl };
      const instance = new ServerProcess(await freePort(), settings);
      closers.push(() => instance.kill());
      instances.push(instance);
    }
    await Promise.all(instances.map((instance) => instance.start()));
    const parts = { postgresql, standby, database, admin, instances, links };
    return new World(parts, environment, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function serverEnvironment(
  folder: string,
  admin: World["admin"],
): Promise<Record<string, string>> {
  return {
    ...await ownTlsFiles(await makeServerTls(admin), folder),
    SABIKA_ENVIRONMENT: "sandbox",
    SABIKA_BASE_URL: BASE_URL,
    SABIKA_MASTER_KEY: admin.masterKeyText,
    SABIKA_ACCESS_LOG: "none",
  };
}

/**
 * Throws unless each answer to these callers' writes is a success, or one that a fault of the database
 * may cause: 503 with `Retry-After`, or an unknown outcome.
 */
export function checkAnswers({ calls }: History, callers: readonly Caller[]): void {
  const partners = callers.map(({ partnerId }) => partnerId);
  const away = ["service_unavailable", "outcome_unknown"];
  const isUnexpected = ({ status, code, retryAfter }: Call) =>
    status === 0 || (status >= 500 && !away.includes(code)) ||
    (status === 503 && retryAfter === undefined);
  const unexpected = calls.filter((call) =>
    partners.includes(call.partner) && call.kind !== "read" && isUnexpected(call)
  );
  assertEquals(unexpected, []);
}
