import { completeSettings, type SidecarSettings } from "@sabika/sidecar";
import type { Environment } from "@sabika/protocol";
import {
  exporterPassword,
  instanceSocket,
  placeFiles,
  type Places,
  watchSocket,
} from "./places.ts";

/** The parts of a deployment and their settings, on one machine or in containers. */
export interface DeploymentPlan {
  environment: Environment;
  baseUrl: string;
  /** Names of the instances, e.g. `server-1`. */
  instances: string[];
  /** How many connections for trading each instance has to each cell, except the delivery instance. */
  databaseConnections: number;
  /** How many seconds a stopping instance continues to serve. */
  drainSeconds: number;
  /** The port of the metrics in a network where each instance has an address; by default a socket. */
  watchPort?: number;
  /** The operator's office; by default there is none. */
  office?: OfficePlan;
  /** How far standbys may be behind to be read (Decision D121); by default none is read. */
  standbyLagSeconds?: number;
  /** The cells besides control's own; none by default. */
  cells?: readonly string[];
  places: Places;
}

/** The addresses of the operator's office. */
export interface OfficePlan {
  /** The address in browsers, to which passkeys are bound. */
  origin: string;
  /** `host:port`. */
  listen: string;
}

/** The instance that delivers webhooks and takes no requests. */
export const DELIVERY = "delivery";
const DELIVERY_CONNECTIONS = 2;
/** How long partners of other cells trade while control is away (Decision D116). */
const CONTROL_AWAY_SECONDS = "300";

/** The program of an instance, from the repository's root; a build has it as `.js`. */
export const SERVER_PROGRAM = "packages/server/main.ts";

/** The office's name among those of the instances. */
export const OFFICE = "office";
/** The program of the office, from the repository's root. */
export const OFFICE_PROGRAM = "packages/console/main.ts";

/** The login with which the exporter of metrics connects to the database. */
export const EXPORTER_LOGIN = "sabika_exporter";

/** Environment variables for Node itself, besides a server's settings. */
export const SERVER_RUNTIME = {
  // One thread for signatures: on few cores more of them only compete.
  UV_THREADPOOL_SIZE: "1",
  // Twice what a server needed at most in a million orders.
  NODE_OPTIONS: "--max-old-space-size=512",
} as const;

/** Returns the path of a program's compiled form in a build. */
export function builtProgram(program: string): string {
  return program.replace(/\.ts$/, ".js");
}

/** Returns the environment variables of an instance, which name files of secrets but hold no secret. */
export function serverEnvironment(plan: DeploymentPlan, name: string): Record<string, string> {
  const files = placeFiles(plan.places);
  const isDelivery = name === DELIVERY;
  return {
    SABIKA_ENVIRONMENT: plan.environment,
    SABIKA_BASE_URL: plan.baseUrl,
    SABIKA_DATABASE_URL_FILE: files.serverDatabaseUrl,
    ...((plan.cells ?? []).length > 0 && {
      SABIKA_CELLS_FILE: files.serverCells,
      SABIKA_CONTROL_AWAY_SECONDS: CONTROL_AWAY_SECONDS,
      SABIKA_REVOCATIONS_FOLDER: plan.places.revocations,
      SABIKA_SNAPSHOT_FILE: files.snapshot,
    }),
    ...standbyEnvironment(plan),
    SABIKA_DATABASE_CONNECTIONS: String(
      isDelivery ? DELIVERY_CONNECTIONS : plan.databaseConnections,
    ),
    SABIKA_MASTER_KEY_FILE: files.masterKey,
    SABIKA_WEBHOOK_DELIVERY: isDelivery ? "alone" : "off",
    ...(isDelivery ? {} : {
      SABIKA_LISTEN: `unix:${instanceSocket(plan.places, name)}`,
      SABIKA_EDGE_SECRET_FILE: files.edgeSecrets,
      SABIKA_DRAIN_SECONDS: String(plan.drainSeconds),
    }),
    ...watchEnvironment(plan, name),
    SABIKA_ACCESS_LOG: "refusals",
    ...SERVER_RUNTIME,
    // Partners of the sandbox have receivers on localhost with our own authority's certificates.
    ...(plan.environment === "sandbox"
      ? { SABIKA_WEBHOOK_ALLOW_LOOPBACK: "true", SABIKA_WEBHOOK_CA_FILE: files.authority }
      : {}),
  };
}

/**
 * Returns the environment variables of the office, which has the operator's database URL. With an https
 * `origin` it serves TLS itself.
 */
export function officeEnvironment(
  plan: DeploymentPlan,
  { origin, listen }: OfficePlan,
): Record<string, string> {
  const { environment, baseUrl, places, cells = [] } = plan;
  const files = placeFiles(places);
  return {
    SABIKA_ENVIRONMENT: environment,
    SABIKA_BASE_URL: baseUrl,
    SABIKA_DATABASE_URL_FILE: files.databaseUrl,
    ...(cells.length > 0 && {
      SABIKA_CELLS_FILE: files.cells,
      SABIKA_REVOCATIONS_FOLDER: places.revocations,
    }),
    ...standbyEnvironment(plan),
    SABIKA_MASTER_KEY_FILE: files.masterKey,
    SABIKA_ADMIN_LISTEN: listen,
    SABIKA_ADMIN_ORIGIN: origin,
    ...(origin.startsWith("https:") && {
      SABIKA_ADMIN_TLS_CERTIFICATE_FILE: files.officeCertificate,
      SABIKA_ADMIN_TLS_KEY_FILE: files.officeKey,
    }),
    // Only containers are on the network in between.
    ...(origin.startsWith("http:") && !listen.startsWith("127.0.0.1:") && {
      SABIKA_ADMIN_ALLOW_REMOTE: "true",
    }),
    NODE_OPTIONS: "--max-old-space-size=256",
  };
}

function standbyEnvironment({ standbyLagSeconds: lag }: DeploymentPlan): Record<string, string> {
  return lag === undefined ? {} : { SABIKA_STANDBY_LAG_SECONDS: String(lag) };
}

/** Metrics are on a port only in a network of containers, which no partner reaches. */
function watchEnvironment(
  { places, watchPort }: DeploymentPlan,
  name: string,
): Record<string, string> {
  return watchPort === undefined
    ? { SABIKA_WATCH_LISTEN: `unix:${watchSocket(places, name)}` }
    : { SABIKA_WATCH_LISTEN: `0.0.0.0:${watchPort}`, SABIKA_WATCH_ALLOW_REMOTE: "true" };
}

/** Returns the exporter's environment; `uri` is `host:port/database?options`, without scheme and user. */
export function exporterEnvironment(places: Pick<Places, "exporter">, uri: string) {
  return {
    DATA_SOURCE_USER: EXPORTER_LOGIN,
    DATA_SOURCE_PASS_FILE: exporterPassword(places),
    DATA_SOURCE_URI: uri,
  };
}

/** Returns the exporter's arguments; `listen` is its address. */
export function exporterArguments(listen: string): string[] {
  return ["--collector.long_running_transactions", `--web.listen-address=${listen}`];
}

/** Returns the hosts by which partners reach a deployment, which the sidecar's certificate names. */
export function serverNames({ baseUrl }: Pick<DeploymentPlan, "baseUrl">): string[] {
  return [...new Set([new URL(baseUrl).hostname, "localhost", "127.0.0.1"])];
}

/** Returns the sidecar's settings for a plan. */
export function sidecarSettings(
  plan: DeploymentPlan,
  { listen, watch, accessLog, tlsLog }: Pick<
    SidecarSettings,
    "listen" | "watch" | "accessLog" | "tlsLog"
  >,
): SidecarSettings {
  const { places } = plan;
  return completeSettings({
    folder: places.sidecar,
    socketFolder: places.adminSocket,
    environment: plan.environment,
    listen,
    watch,
    serverNames: serverNames(plan),
    instances: plan.instances.map((name) => ({ address: `unix:${instanceSocket(places, name)}` })),
    accessLog,
    tlsLog,
    // Wide limits, so that a load meets the service's limits for partners first.
    limits: {
      requestsPerSecond: 20_000,
      burst: 40_000,
      totalRequestsPerSecond: 50_000,
      totalBurst: 100_000,
    },
  });
}

/** PostgreSQL's settings besides durability, of control's database. */
export const POSTGRESQL_SETTINGS: Readonly<Record<string, string>> = {
  max_connections: "200",
  shared_buffers: "512MB",
  max_wal_size: "4GB",
  checkpoint_timeout: "15min",
  // Compressing whole pages costs ten times as much processor time as writing them.
  wal_compression: "off",
};

/** Returns further settings for a control database with this number of cells: a log and slots to copy from. */
export function replicationSettings(cells: number): Record<string, string> {
  const slots = String(2 * cells + 10);
  return { wal_level: "logical", max_wal_senders: slots, max_replication_slots: slots };
}

/** The settings of a cell's database, which soon reconnects to control after losing it. */
export const CELL_SETTINGS: Readonly<Record<string, string>> = {
  ...POSTGRESQL_SETTINGS,
  shared_buffers: "128MB",
  wal_retrieve_retry_interval: "500ms",
};
