import { openTestDatabase } from "./test_database.ts";
import { type RawCaller, sendRaw } from "./raw_https.ts";
import { testRecord } from "../secret_search/record.ts";
import { pkcs8Pem } from "./private_pem.ts";
import { objectOf } from "./answers.ts";
import { each } from "./each.ts";
import { admitWithGold, type ServicePartner } from "./service_partner.ts";
import { BASE_URL, tokenRequest } from "./service_requests.ts";
import { random } from "./random.ts";
import { adminOn, authorityKeys, makeServerTls } from "./test_admin.ts";
import { readMasterKeys } from "@sabika/identity/secrets";
import { revokeCertificate } from "@sabika/office/partners";
import type { PriceSource } from "@sabika/service/prices";
import { setFixedPrice } from "./fixed_price.ts";
import { createService, type Log, type Service, type ServiceSettings } from "@sabika/server";

/** One or several instances on one test database, which do mutual TLS themselves. */
export type TestService = Awaited<ReturnType<typeof startTestService>>;

/** The settings of a test's service; by default one instance of a sandbox at a fixed price. */
export interface TestServiceOptions {
  instances?: number;
  environment?: "sandbox" | "production";
  prices?: PriceSource;
  databaseConnections?: number;
  /** The superuser URL of the PostgreSQL for its database; by default the runner's choice. */
  server?: string;
}

/** Each partner's allocation at the start: 100 kg. */
const ALLOCATION_MICROGRAMS = 100_000_000_000n;

/** Starts a service for tests; `close` ends it and removes its database. */
export async function startTestService(options: TestServiceOptions = {}) {
  const { instances = 1, environment = "sandbox" } = options;
  const test = await openTestDatabase({
    ...options.server !== undefined && { server: options.server },
  });
  const clock: { offsetMs: number; stoppedAtMs?: number } = { offsetMs: 0 };
  const now = () => clock.stoppedAtMs ?? Date.now() + clock.offsetMs;
  const fixedPrice = await setFixedPrice(test.database, 4_000_000n);
  const admin = await adminOn(test.database, environment, now);
  const admit = (clientId: string, gold = ALLOCATION_MICROGRAMS) =>
    admitWithGold(admin, clientId, gold);
  const partners = [await admit("bank-a"), await admit("bank-b")] as const;
  const tls = await makeServerTls(admin);
  for (const pkcs8 of (await authorityKeys(admin)).values()) pkcs8Pem(Uint8Array.from(pkcs8));
  const logged: string[] = [];
  const log: Log = (level, event, fields) => {
    logged.push(`${level} ${event} ${JSON.stringify(fields ?? {})}`);
  };
  const services: Service[] = [];
  const ports: number[] = [];
  const watchPorts: number[] = [];
  const createInstance = (log: Log, more: Partial<ServiceSettings> = {}, instanceNow = now) =>
    createService({
      environment,
      baseUrl: BASE_URL,
      databaseUrl: test.urlAs("sabika_app"),
      databaseConnections: options.databaseConnections ?? 4,
      masterKeys: readMasterKeys(admin.masterKeyText),
      listen: { kind: "tls", host: "127.0.0.1", port: 0, ...tls },
      deliverWebhooks: false,
      // Tests move the instances' clock away from the database's.
      clockOffsetLimitMs: Infinity,
      ...more,
    }, {
      now: instanceNow,
      random,
      log,
      prices: options.prices ?? fixedPrice,
    });
  for (let n = 0; n < instances; n++) {
    const service = createInstance(log, { watch: { host: "127.0.0.1", port: 0 } });
    services.push(service);
    const { port, watchPort } = await service.start();
    ports.push(port!);
    watchPorts.push(watchPort!);
  }

  const caller = (partner: ServicePartner, instance = 0): RawCaller => ({
    port: ports[instance]!,
    caPem: partner.kit.caPem,
    certificatePem: partner.kit.clientCertificatePem,
    keyPem: partner.kit.clientKeyPem,
  });
  return {
    test,
    admin,
    /** The instances' clock: an offset to the real clock, or the moment at which it is stopped. */
    clock,
    /** The instances' current time, in epoch milliseconds. */
    now,
    ports,
    partners,
    /** The instances' certificate and key, and the authority of their clients. */
    tls,
    /** Makes another instance, optionally with another clock; the test starts and stops it. */
    createInstance,
    logged,
    /** Admits another partner, with an allocation of 100 kg by default. */
    admit,
    /** Revokes all certificates of a partner. */
    async revokeCertificate({ partnerId, clientId }: ServicePartner) {
      const rows = await test.database.sql<{ hash: string }[]>`
        select encode(certificate_hash, 'hex') as hash from certificates
        where partner_id = ${partnerId}::integer`;
      for (const { hash } of rows) await revokeCertificate(admin, clientId, hash);
    },
    /** Waits until every instance has read the current register. */
    refresh: async () => void await Promise.all(services.map((service) => service.refresh())),
    caller,
    /** Reads a metric of an instance, by its name with labels; 0 if it is absent. */
    metric: (name: string, instance = 0) => readMetric(watchPorts[instance]!, name),
    /** Requests an access token for the partner. */
    async token(partner: ServicePartner, instance = 0) {
      const answer = await sendRaw(caller(partner, instance), tokenRequest(partner));
      const token = objectOf(answer).get("access_token");
      if (typeof token !== "string") throw new Error(`no token: ${answer.status} ${answer.body}`);
      return token;
    },
    async close() {
      for (const service of services) await service.stop();
      testRecord.log("service", logged.join("\n"));
      await test.close();
    },
  };
}

async function readMetric(watchPort: number, name: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${watchPort}/metrics`);
  const line = (await answer.text()).split("\n").find((metric) => metric.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}

/** Counts the rows of each table to which a request may write. */
export async function countRows({ test }: TestService): Promise<Record<string, number>> {
  const tables = each(
    "quotes orders withdrawals fundings transfers events idempotency_keys nonces",
  );
  const { sql } = test.database;
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await sql<{ n: number }[]>`select count(*)::int as n from ${sql(table)}`;
    counts[table] = row!.n;
  }
  return counts;
}
