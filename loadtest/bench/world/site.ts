import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import {
  createFileKeys,
  type Deployment,
  newMasterKey,
  openDeployment,
  readMasterKeys,
} from "@sabika/core/partners";
import { type Database, migrate, openDatabase } from "@sabika/core/store";
import type { RunningPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import type { Target } from "../loader/connection.ts";
import type { Lane } from "../loader/job.ts";
import { callSocket } from "./call_socket.ts";
import { admitPartners, type BenchPartner } from "./partners.ts";
import { makeQuotes } from "./quotes.ts";
import { type ServiceProcess, startService } from "./service_process.ts";

/** A database of its own with its partners, and the services that are started on it. */
export interface Site {
  baseUrl: string;
  database: Database;
  deployment: Deployment;
  databaseUrl: string;
  partners: BenchPartner[];
  /** Where its sockets are; removed with it. */
  folder: string;
  /** The product behind its sidecar's socket. */
  startServer(
    nodeOptions?: readonly string[],
    settings?: Record<string, string>,
  ): Promise<RunningService>;
  /** The naive service, on the same tables, behind the same kind of socket. */
  startNaive(): Promise<RunningService>;
  /** Fresh quotes, `count` in all, and a token for each of these partners. */
  lanes(partners: readonly BenchPartner[], orders: number): Promise<Lane[]>;
  close(): Promise<void>;
}

/** A service and where the loader finds it. */
export interface RunningService {
  target: Target;
  process: ServiceProcess;
  stop(): Promise<void>;
}

const CONNECTIONS = "8";
/** Tokens are good for 600 s. */
const TOKEN_KEPT_MS = 400_000;
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

/** Makes a migrated database with partners on a running PostgreSQL. */
export async function createSite(
  postgresql: RunningPostgreSQL,
  name: string,
  partnerCount: number,
): Promise<Site> {
  const admin = openDatabase(postgresql.socketUrl, { maxConnections: 1 });
  await admin.sql.unsafe(`create database ${name}`);
  await admin.close();
  const databaseUrl = postgresql.socketUrl.replace("/postgres?", `/${name}?`);
  const database = openDatabase(databaseUrl, { maxConnections: 2, applicationName: "bench" });
  await migrate(database);
  const masterKey = newMasterKey("bench", random);
  const deployment = await openDeployment({
    database,
    keys: createFileKeys({ masterKeys: readMasterKeys(masterKey), random }),
    environment: "sandbox",
    nowMs: Date.now(),
    random,
  });
  const partners = await admitPartners(database, deployment, partnerCount);
  const folder = await mkdtemp(join(tmpdir(), "sabika-site-"));
  return new BenchSite(
    "https://sabika.example",
    database,
    deployment,
    databaseUrl,
    partners,
    masterKey,
    folder,
  );
}

class BenchSite implements Site {
  readonly baseUrl: string;
  readonly database: Database;
  readonly deployment: Deployment;
  readonly databaseUrl: string;
  readonly partners: BenchPartner[];
  readonly #masterKey: string;
  readonly folder: string;
  readonly #edgeSecret = crypto.randomUUID() + crypto.randomUUID();
  readonly #tokens = new Map<string, { token: string; keptUntilMs: number }>();
  readonly #services: RunningService[] = [];
  #tokenSocket: string | undefined;

  constructor(
    baseUrl: string,
    database: Database,
    deployment: Deployment,
    databaseUrl: string,
    partners: BenchPartner[],
    masterKey: string,
    folder: string,
  ) {
    this.baseUrl = baseUrl;
    this.database = database;
    this.deployment = deployment;
    this.databaseUrl = databaseUrl;
    this.partners = partners;
    this.#masterKey = masterKey;
    this.folder = folder;
  }

  async startServer(
    nodeOptions: readonly string[] = [],
    settings: Record<string, string> = {},
  ): Promise<RunningService> {
    const path = join(this.folder, `server-${this.#services.length}.sock`);
    const secretFile = join(this.folder, "edge.secret");
    await writeFile(secretFile, this.#edgeSecret + "\n", { mode: 0o600 });
    const environment = {
      ...this.#environment(),
      SABIKA_LISTEN: `unix:${path}`,
      SABIKA_EDGE_SECRET_FILE: secretFile,
      ...settings,
    };
    const service = await this.#start(
      "packages/server/main.ts",
      environment,
      { kind: "socket", path },
      () => this.#isHealthy(path),
      nodeOptions,
    );
    this.#tokenSocket = path;
    return service;
  }

  async startNaive(): Promise<RunningService> {
    const path = join(this.folder, "naive.sock");
    const environment = { ...this.#environment(), SABIKA_LISTEN: `unix:${path}` };
    const answers = async () => {
      const headers = this.#sidecarHeaders(this.partners[0]!);
      return (await callSocket(path, { method: "POST", path: "/v1/orders", headers })).status ===
        401;
    };
    return await this.#start(
      "loadtest/naive/main.ts",
      environment,
      { kind: "socket", path },
      answers,
    );
  }

  async lanes(chosen: readonly BenchPartner[], orders: number): Promise<Lane[]> {
    const ids = chosen.map((partner) => partner.partnerId);
    const quoteIds = await makeQuotes(this.database.sql, ids, orders);
    return await Promise.all(chosen.map(async (partner, index) => ({
      accessToken: await this.#tokenFor(partner),
      signingKey: partner.kit.signingKeyPem!,
      signingKeyId: partner.kit.signingKeyId!,
      headers: this.#sidecarHeaders(partner),
      quoteIds: quoteIds[index]!,
    })));
  }

  async close(): Promise<void> {
    for (const service of [...this.#services]) await service.stop();
    await this.database.close();
    await rm(this.folder, { recursive: true });
  }

  #environment(): Record<string, string> {
    return {
      SABIKA_ENVIRONMENT: "sandbox",
      SABIKA_BASE_URL: this.baseUrl,
      SABIKA_DATABASE_URL: this.databaseUrl,
      SABIKA_DATABASE_CONNECTIONS: process.env.SABIKA_DATABASE_CONNECTIONS ?? CONNECTIONS,
      SABIKA_MASTER_KEY: this.#masterKey,
      // As in the stack: the line for each request is the sidecar's.
      SABIKA_ACCESS_LOG: "refusals",
      UV_THREADPOOL_SIZE: "1",
    };
  }

  async #start(
    program: string,
    environment: Record<string, string>,
    target: Target,
    isReady: () => Promise<boolean>,
    nodeOptions: readonly string[] = [],
  ): Promise<RunningService> {
    const child = await startService(program, environment, isReady, nodeOptions);
    const service: RunningService = {
      target,
      process: child,
      stop: async () => {
        this.#services.splice(this.#services.indexOf(service), 1);
        await child.stop();
      },
    };
    this.#services.push(service);
    return service;
  }

  async #isHealthy(path: string): Promise<boolean> {
    const headers = this.#sidecarHeaders(this.partners[0]!);
    return (await callSocket(path, { method: "GET", path: "/health", headers })).status === 200;
  }

  /** The sidecar's three headers (the hash of the certificate, the caller's address, the edge secret). */
  #sidecarHeaders(partner: BenchPartner): Record<string, string> {
    return {
      "x-forwarded-client-cert": `Hash=${partner.certificateHash}`,
      "x-sabika-peer-address": "127.0.0.1",
      "x-sabika-edge": this.#edgeSecret,
    };
  }

  async #tokenFor(partner: BenchPartner): Promise<string> {
    const known = this.#tokens.get(partner.kit.clientId);
    if (known !== undefined && Date.now() < known.keptUntilMs) return known.token;
    if (this.#tokenSocket === undefined) {
      throw new Error("tokens come from the product: start it first");
    }
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: partner.kit.clientId,
      client_secret: partner.kit.clientSecret,
    });
    const answer = await callSocket(this.#tokenSocket, {
      method: "POST",
      path: "/oauth/token",
      headers: {
        ...this.#sidecarHeaders(partner),
        host: this.baseUrl.slice("https://".length),
        "content-type": "application/x-www-form-urlencoded",
        "content-length": String(form.toString().length),
      },
      body: form.toString(),
    });
    if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.body}`);
    const token = (JSON.parse(answer.body) as { access_token: string }).access_token;
    this.#tokens.set(partner.kit.clientId, { token, keptUntilMs: Date.now() + TOKEN_KEPT_MS });
    return token;
  }
}
