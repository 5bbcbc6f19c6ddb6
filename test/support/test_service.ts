import { openTestDatabase, type TestDatabase } from "./test_database.ts";
import { type RawCaller, type RawRequest, type RawResponse, sendRaw } from "./raw_https.ts";
import { testRecord } from "../secret_search/record.ts";
import { privatePem } from "./test_certificates.ts";
import { anAdmission, random } from "./test_admin.ts";
import { postTransfer } from "@sabika/core/ledger";
import {
  admitPartner,
  type Kit,
  makeServerCertificate,
  newMasterKey,
  openDeployment,
  type PartnerAdminContext,
  readMasterKeys,
} from "@sabika/core/partners";
import type { Database } from "@sabika/core/store";
import { createFixedPrice, type PriceSource } from "@sabika/core/trading";
import {
  encodeUtf8,
  importPrivatePem,
  isJsonObject,
  type JsonObject,
  parseJson,
  signRequest,
} from "@sabika/protocol";
import { createService, type Log, type Service } from "@sabika/server";

/** The address that partners sign; the instances listen on ports of their own. */
export const BASE_URL = "https://sabika.test";

/** A partner with its whole kit, whose mistakes a test chooses. */
export interface ServicePartner {
  readonly clientId: string;
  readonly partnerId: number;
  readonly kit: Kit;
  readonly signingKey: CryptoKey;
}

/** One or several instances over one test database, with their own mutual TLS. */
export interface TestService {
  readonly test: TestDatabase;
  readonly admin: PartnerAdminContext;
  /** Added to the real clock, by all instances; while it is stopped they all stand at that moment. */
  readonly clock: { offsetMs: number; stoppedAtMs?: number };
  /** What the instances take for the time. */
  now(): number;
  readonly ports: readonly number[];
  readonly partners: readonly [ServicePartner, ServicePartner];
  /** What a server needs that is started as a process of its own. */
  readonly own: {
    readonly masterKey: string;
    readonly certificatePem: string;
    readonly keyPem: string;
    readonly clientCaPem: string;
  };
  /** Every line that was logged. */
  readonly logged: string[];
  /** Admits another partner; its allocation holds 100 kg unless told otherwise. */
  admit(clientId: string, allocationMicrograms?: bigint): Promise<ServicePartner>;
  /** Waits until every instance has seen the register as it is now. */
  refresh(): Promise<void>;
  caller(partner: ServicePartner, instance?: number): RawCaller;
  /** A token that lives as long as the clock lets it. */
  token(partner: ServicePartner, instance?: number): Promise<string>;
  close(): Promise<void>;
}

export interface TestServiceOptions {
  instances?: number;
  environment?: "sandbox" | "production";
  prices?: PriceSource;
  databaseConnections?: number;
}

/** Gold that each partner's allocation holds at the start: 100 kg. */
const ALLOCATION_MICROGRAMS = 100_000_000_000n;

/** Starts a service for tests; `close` ends it and removes its database. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { instances = 1, environment = "sandbox" } = options;
  const test = await openTestDatabase();
  const clock: TestService["clock"] = { offsetMs: 0 };
  const now = () => clock.stoppedAtMs ?? Date.now() + clock.offsetMs;
  const masterKey = newMasterKey("test-1", random);
  const masterKeys = readMasterKeys(masterKey);
  const { database } = test;
  const nowMs = now();
  const deployment = await openDeployment({ database, masterKeys, environment, nowMs, random });
  const admin: PartnerAdminContext = {
    ...deployment,
    database,
    endpoints: {
      allowLoopback: true,
      resolve: () => Promise.resolve([{ address: "8.8.8.8", family: 4 }]),
    },
    actor: { who: "tester", from: "test" },
    now,
    random,
  };
  const admit = (clientId: string, gold = ALLOCATION_MICROGRAMS) =>
    admitWithGold(admin, clientId, gold);
  const partners = [await admit("bank-a"), await admit("bank-b")] as const;
  const { authorities } = deployment;
  const server = await makeServerCertificate({
    authorities,
    hosts: ["localhost", "127.0.0.1"],
    nowMs,
    random,
  });
  testRecord.secretsIn(masterKey, server.keyPem);
  for (const { privateKey } of [authorities.root, authorities.issuing]) {
    testRecord.secretsIn(await privatePem(privateKey));
  }
  const logged: string[] = [];
  const log: Log = (level, event, fields) => {
    logged.push(`${level} ${event} ${JSON.stringify(fields ?? {})}`);
  };
  const services: Service[] = [];
  const ports: number[] = [];
  for (let n = 0; n < instances; n++) {
    const service = createService({
      environment,
      baseUrl: BASE_URL,
      databaseUrl: test.url,
      databaseConnections: options.databaseConnections ?? 4,
      masterKeys,
      listen: {
        kind: "tls",
        host: "127.0.0.1",
        port: 0,
        certificatePem: server.certificatePem,
        keyPem: server.keyPem,
        clientCaPem: authorities.clientCaPem,
      },
      deliverWebhooks: false,
      // Tests move the clock.
      clockOffsetLimitMs: Infinity,
    }, {
      now,
      random,
      log,
      prices: options.prices ?? createFixedPrice({ midTenThousandths: 4_000_000n }),
    });
    services.push(service);
    ports.push((await service.start()).port!);
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
    clock,
    now,
    ports,
    partners,
    own: {
      masterKey,
      certificatePem: server.certificatePem,
      keyPem: server.keyPem,
      clientCaPem: authorities.clientCaPem,
    },
    logged,
    admit,
    refresh: async () => void await Promise.all(services.map((service) => service.refresh())),
    caller,
    async token(partner, instance = 0) {
      const answer = await sendRaw(caller(partner, instance), tokenRequest(partner));
      const token = member(answer.body, "access_token");
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

/** Admits a partner with its whole kit and gives it an allocation of gold. */
export async function admitWithGold(
  admin: PartnerAdminContext,
  clientId: string,
  gold: bigint,
): Promise<ServicePartner> {
  const admitted = await admitPartner(admin, anAdmission(clientId));
  if (!admitted.ok) throw new Error(`${clientId} was not admitted: ${admitted.code}`);
  const { partnerId, kit } = admitted.value;
  testRecord.secretsIn(kit.clientSecret, kit.webhookSecret, kit.clientKeyPem, kit.signingKeyPem);
  const key = await importPrivatePem(kit.signingKeyPem!);
  if (!key.ok) throw new Error(key.code);
  if (gold > 0n) await giveGold(admin.database, partnerId, gold);
  return { clientId, partnerId, kit, signingKey: key.key };
}

/** A bar into the vault and all of it into the partner's allocation, by a transfer. */
async function giveGold({ sql }: Database, partnerId: number, gold: bigint): Promise<void> {
  await sql.begin(async (sql) => {
    await sql`
      insert into vault_bars (serial, refiner, fineness_ten_thousandths, weight_micrograms)
      values (${`T${partnerId}`}, 'Test', 9999, ${gold})`;
    await sql`
      update vault set bars_micrograms = bars_micrograms + ${gold},
        allocated_micrograms = allocated_micrograms + ${gold}`;
    await postTransfer(sql, {
      partnerId,
      asset: "XAU",
      debit: "vault",
      credit: "allocation",
      amount: gold,
      sourceKind: "allocation",
      sourceId: crypto.randomUUID(),
    });
  });
}

/** The token request as a partner sends it. */
export function tokenRequest(
  { kit }: Pick<ServicePartner, "kit">,
  form: Record<string, string> = {},
): RawRequest {
  const fields = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: kit.clientId,
    client_secret: kit.clientSecret,
    ...form,
  });
  return {
    method: "POST",
    target: "/oauth/token",
    headers: [["Host", "sabika.test"], ["Content-Type", "application/x-www-form-urlencoded"]],
    body: encodeUtf8(fields.toString()),
  };
}

/** A read with a token. */
export function read(target: string, token: string): RawRequest {
  return {
    method: "GET",
    target,
    headers: [["Host", "sabika.test"], ["Authorization", `Bearer ${token}`]],
  };
}

/** A write with a token and an Idempotency-Key, not signed. */
export function write(
  target: string,
  token: string,
  body: string | Uint8Array,
  more: Record<string, string> = {},
): RawRequest {
  const headers: Record<string, string> = {
    Host: "sabika.test",
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    "Idempotency-Key": crypto.randomUUID(),
    ...more,
  };
  return {
    method: "POST",
    target,
    headers: Object.entries(headers),
    body: typeof body === "string" ? encodeUtf8(body) : body,
  };
}

/** What a signed write may do otherwise than it should. */
export interface SigningChoices {
  key?: CryptoKey;
  keyId?: string;
  url?: string;
  timestampSeconds?: number;
  nonce?: string;
  headers?: Record<string, string>;
}

/** A signed write, right unless told otherwise. */
export async function signed(
  partner: Pick<ServicePartner, "signingKey">,
  target: string,
  token: string,
  body: string | Uint8Array,
  choices: SigningChoices = {},
): Promise<RawRequest> {
  const request = write(target, token, body);
  const headers = await signRequest({
    method: "POST",
    url: choices.url ?? BASE_URL + target,
    body: request.body!,
    timestampSeconds: choices.timestampSeconds ?? Math.floor(Date.now() / 1000),
    nonce: choices.nonce ?? crypto.randomUUID(),
    privateKey: choices.key ?? partner.signingKey,
    keyId: choices.keyId,
  });
  const all = { ...Object.fromEntries(request.headers), ...headers, ...choices.headers };
  return { ...request, headers: Object.entries(all) };
}

/** The body of an answer as an object. */
export function objectOf(answer: Pick<RawResponse, "body">): JsonObject {
  const value = parseJson(answer.body);
  if (!isJsonObject(value)) throw new Error(`no object: ${answer.body}`);
  return value;
}

/** The error code of an answer, or `ok`. */
export function codeOf(answer: RawResponse): string {
  return answer.status < 300 ? "ok" : String(objectOf(answer).get("code"));
}

function member(body: string, name: string): unknown {
  return objectOf({ body }).get(name);
}

/** How many rows each table has that a request may write to. */
export async function countRows({ test }: TestService): Promise<Record<string, number>> {
  const tables = [
    "quotes",
    "orders",
    "withdrawals",
    "fundings",
    "transfers",
    "events",
    "idempotency_keys",
    "nonces",
  ];
  const { sql } = test.database;
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await sql<{ n: number }[]>`select count(*)::int as n from ${sql(table)}`;
    counts[table] = row!.n;
  }
  return counts;
}
