import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type Database, openDatabase } from "@sabika/database";
import { createFileKeys, newMasterKey, readMasterKeys } from "@sabika/identity/secrets";
import { type Deployment, openDeployment } from "@sabika/service/deployment";
import { migrate } from "@sabika/service/schema";
import { SERVER_RUNTIME, startServer } from "@sabika/deployment";
import { random } from "../random.ts";
import type { RunningPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import type { Target } from "../loader/connection.ts";
import type { Lane } from "../loader/job.ts";
import { askToken, call } from "./call.ts";
import { admitPartners, type BenchPartner } from "./partners.ts";
import { makeQuotes } from "./quotes.ts";

/** A database with its partners, and the services that run on it. */
export interface Site {
  readonly baseUrl: string;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly deployment: Deployment;
  readonly partners: readonly BenchPartner[];
  /** The folder of its sockets, which is removed with the site. */
  readonly folder: string;
  /** Starts a server, which listens on the sidecar's socket. */
  startServer(settings?: Readonly<Record<string, string>>): Promise<RunningService>;
  /** Starts a server that only delivers webhooks and answers no requests. */
  startDelivery(settings: Readonly<Record<string, string>>): Promise<RunningService>;
  /** Makes `orders` quotes in all, and a token for each of these partners. */
  lanes(chosen: readonly BenchPartner[], orders: number): Promise<Lane[]>;
  close(): Promise<void>;
}

/** A service and how the loader reaches it. */
export interface RunningService {
  target: Target;
  pid: number;
  stop(): Promise<void>;
}

const BASE_URL = "https://sabika.example";
const ENVIRONMENT = "sandbox";
const CONNECTIONS = "8";
/** How long a token, which is valid for 600 s, is reused. */
const TOKEN_KEPT_MS = 400_000;

/** Makes a migrated database with partners on a running PostgreSQL. */
export async function createSite(
  postgresql: RunningPostgreSQL,
  name: string,
  count: number,
): Promise<Site> {
  const { database, databaseUrl } = await makeDatabase(postgresql, name);
  const masterKey = newMasterKey("bench", random);
  const deployment = await openSandbox(database, masterKey);
  const partners = await admitPartners(database, deployment, count);
  const folder = await mkdtemp(join(tmpdir(), "sabika-site-"));
  const edgeSecret = crypto.randomUUID() + crypto.randomUUID();
  const settings = {
    SABIKA_ENVIRONMENT: ENVIRONMENT,
    SABIKA_BASE_URL: BASE_URL,
    SABIKA_DATABASE_URL: databaseUrl,
    SABIKA_DATABASE_CONNECTIONS: process.env.SABIKA_DATABASE_CONNECTIONS ?? CONNECTIONS,
    SABIKA_MASTER_KEY: masterKey,
    // As in the stack, where the sidecar logs each request.
    SABIKA_ACCESS_LOG: "refusals",
    ...SERVER_RUNTIME,
  };

  /** Makes the sidecar's three headers: the hash of the certificate, the caller's address, the edge secret. */
  const sidecarHeaders = ({ certificateHash }: BenchPartner) => ({
    "x-forwarded-client-cert": `Hash=${certificateHash}`,
    "x-sabika-peer-address": "127.0.0.1",
    "x-sabika-edge": edgeSecret,
  });
  const isAnswered = async (socketPath: string, path: string) => {
    const headers = sidecarHeaders(partners[0]!);
    return (await call({ socketPath, path, headers })).status === 200;
  };
  const { services, start } = createServices(settings);
  let started = 0;
  /** The sockets of the running servers. */
  const sockets = new Set<string>();
  const tokens = createTokens(sidecarHeaders, sockets);

  return {
    baseUrl: BASE_URL,
    database,
    deployment,
    databaseUrl,
    partners,
    folder,
    async startServer(settings = {}) {
      const path = join(folder, `server-${started++}.sock`);
      const secretFile = join(folder, "edge.secret");
      await writeFile(secretFile, edgeSecret + "\n", { mode: 0o600 });
      const isHealthy = () => isAnswered(path, "/health");
      const more = { SABIKA_EDGE_SECRET_FILE: secretFile, ...settings };
      const service = await start(path, more, isHealthy);
      sockets.add(path);
      const stop = () => {
        sockets.delete(path);
        return service.stop();
      };
      return { ...service, stop };
    },
    async startDelivery(settings) {
      const path = join(folder, `delivery-${started++}.sock`);
      const more = {
        SABIKA_WEBHOOK_DELIVERY: "alone",
        SABIKA_WATCH_LISTEN: `unix:${path}`,
        ...settings,
      };
      return await start(path, more, () => isAnswered(path, "/ready"));
    },
    async lanes(chosen, orders) {
      const ids = chosen.map((partner) => partner.partnerId);
      const quoteIds = await makeQuotes(database.sql, ids, orders);
      return await Promise.all(chosen.map(async (partner, index) => ({
        accessToken: await tokens.tokenOf(partner),
        signingKey: partner.kit.signingKeyPem!,
        signingKeyId: partner.kit.signingKeyId!,
        headers: sidecarHeaders(partner),
        quoteIds: quoteIds[index]!,
      })));
    },
    async close() {
      for (const service of [...services]) await service.stop();
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Starts services with these settings, and keeps track of them. */
function createServices(settings: Record<string, string>) {
  const services: RunningService[] = [];
  const start = async (
    path: string,
    more: Record<string, string>,
    isReady: () => Promise<boolean>,
  ): Promise<RunningService> => {
    const environment = { ...settings, SABIKA_LISTEN: `unix:${path}`, ...more };
    const plan = {
      program: "packages/server/main.ts",
      environment,
      isReady: () => isReady().catch(() => false),
    };
    const child = await startServer("a server of the bench", plan, `${path}.log`);
    const service: RunningService = {
      target: { kind: "socket", path },
      pid: child.pid,
      stop: async () => {
        services.splice(services.indexOf(service), 1);
        await child.stop();
      },
    };
    services.push(service);
    return service;
  };
  return { services, start };
}

async function makeDatabase(postgresql: RunningPostgreSQL, name: string) {
  const admin = openDatabase(postgresql.socketUrl, { maxConnections: 1 });
  await admin.sql.unsafe(`create database ${name}`);
  await admin.close();
  const databaseUrl = postgresql.socketUrl.replace("/postgres?", `/${name}?`);
  const database = openDatabase(databaseUrl, { maxConnections: 2, applicationName: "bench" });
  await migrate(database);
  return { database, databaseUrl };
}

function openSandbox(database: Database, masterKey: string) {
  return openDeployment({
    database,
    keys: createFileKeys({ masterKeys: readMasterKeys(masterKey), random }),
    environment: ENVIRONMENT,
    nowMs: Date.now(),
    random,
    // The root is not needed after it has signed the other authorities.
    root: { read: () => Promise.resolve(undefined), write: () => Promise.resolve() },
  });
}

/** Keeps the partners' tokens, and requests a new one from a running server if needed. */
function createTokens(
  sidecarHeaders: (partner: BenchPartner) => Record<string, string>,
  sockets: ReadonlySet<string>,
) {
  const tokens = new Map<string, { token: string; keptUntilMs: number }>();
  return {
    async tokenOf(partner: BenchPartner): Promise<string> {
      const { clientId, clientSecret } = partner.kit;
      const known = tokens.get(clientId);
      if (known !== undefined && Date.now() < known.keptUntilMs) return known.token;
      const [socketPath] = sockets;
      if (socketPath === undefined) throw new Error("tokens come from a server: start one first");
      const headers = { ...sidecarHeaders(partner), host: new URL(BASE_URL).host };
      const token = await askToken({ socketPath, headers }, clientId, clientSecret);
      tokens.set(clientId, { token, keptUntilMs: Date.now() + TOKEN_KEPT_MS });
      return token;
    },
  };
}
