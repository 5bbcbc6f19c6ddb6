import { readFile } from "node:fs/promises";
import { isLoopbackHost } from "@sabika/core/network";
import {
  type KmsSettings,
  type MasterKeys,
  readKmsSettings,
  readMasterKeys,
  whyNotPrivate,
} from "@sabika/core/partners";
import { whyUnknown } from "@sabika/core/settings";
import { readCellUrls } from "@sabika/core/store";
import {
  type Environment,
  NONCE_RETENTION_MIN_SECONDS,
  NONCE_RETENTION_SECONDS,
} from "@sabika/protocol";
import type { Address } from "./listeners/address.ts";
import type { Listen } from "./listeners/listen.ts";

/** Everything about a service that can be configured. */
export interface ServiceSettings {
  readonly environment: Environment;
  /**
   * The address that partners use; the URL they sign begins with it. By default
   * `https://127.0.0.1:<port>` of the server's own TLS.
   */
  readonly baseUrl?: string;
  /** Control's. */
  readonly databaseUrl: string;
  /** Where the other cells are, by their names (Decision D53); none by default. */
  readonly cellUrls?: ReadonlyMap<string, string>;
  /** The most connections at a time; 8 on 2 cores. Lists and statements have four of their own. */
  readonly databaseConnections?: number;
  /** Undefined with a key service that needs none. */
  readonly masterKeys?: MasterKeys;
  /** Reads them again after the operator rotated them (`sabika master-key rotate`). */
  readonly reloadMasterKeys?: () => Promise<MasterKeys>;
  /** AWS's key service, which keeps the keys in place of the master keys. */
  readonly kms?: KmsSettings;
  /** `nowhere`: it answers no partner, and is there to deliver webhooks. */
  readonly listen: Listen | { readonly kind: "nowhere" };
  /** Where /metrics, /live and /ready are answered; nowhere by default. */
  readonly watch?: Address;
  /** An authority that webhook receivers are checked against, besides the system's. */
  readonly webhookCaPem?: string;
  /** Whether webhooks may go to this machine itself; only the sandbox sets it. */
  readonly webhookAllowLoopback?: boolean;
  readonly nonceRetentionSeconds?: number;
  /** How long attempts to deliver webhooks are kept; 90 by default. */
  readonly webhookAttemptsDays?: number;
  /** How long a stopping instance keeps serving, so that the sidecar stops sending first. */
  readonly drainSeconds?: number;
  /** How far this clock may be from the database's (Decision D12); 1 s by default. */
  readonly clockOffsetLimitMs?: number;
  /** Whether this instance also delivers webhooks; it does by default. */
  readonly deliverWebhooks?: boolean;
  /** Which answers are logged; all by default. */
  readonly accessLog?: "all" | "refusals" | "none";
  /** Where each new head of the audit log is appended to, besides the log. */
  readonly auditHeadsFile?: string;
  /** Files with a secret that others than their owner can read, each in words; never in production. */
  readonly openSecretFiles?: readonly string[];
  /** OTLP over HTTP; nothing is traced by default. */
  readonly otlpEndpoint?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The settings are wrong; the message is one line and says what to do. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/**
 * Reads the settings out of environment variables.
 *
 * @param env such as `process.env`
 * @throws {SettingsError} when one is missing or wrong, or has a name that nobody reads
 */
export async function readSettings(env: Env): Promise<ServiceSettings> {
  const unknown = whyUnknown(env);
  if (unknown !== undefined) throw new SettingsError(unknown);
  const environment = env["SABIKA_ENVIRONMENT"];
  if (environment !== "sandbox" && environment !== "production") {
    throw new SettingsError("SABIKA_ENVIRONMENT must be sandbox or production");
  }
  const nonceRetentionSeconds =
    wholeNumber(env, "SABIKA_NONCE_RETENTION_SECONDS", NONCE_RETENTION_MIN_SECONDS) ??
      NONCE_RETENTION_SECONDS;
  const accessLog = env["SABIKA_ACCESS_LOG"] ?? "all";
  if (accessLog !== "all" && accessLog !== "refusals" && accessLog !== "none") {
    throw new SettingsError("SABIKA_ACCESS_LOG must be all, refusals or none");
  }
  const delivery = env["SABIKA_WEBHOOK_DELIVERY"] ?? "here";
  if (delivery !== "here" && delivery !== "off" && delivery !== "alone") {
    throw new SettingsError("SABIKA_WEBHOOK_DELIVERY must be here, off or alone");
  }
  const listen = delivery === "alone" ? { kind: "nowhere" } as const : await readListen(env);
  return {
    environment,
    baseUrl: readBaseUrl(env["SABIKA_BASE_URL"], listen),
    databaseUrl: env["SABIKA_DATABASE_URL_FILE"] === undefined
      ? required(env, "SABIKA_DATABASE_URL")
      : (await requiredFile(env, "SABIKA_DATABASE_URL_FILE")).trim(),
    cellUrls: await readCells(env),
    databaseConnections: wholeNumber(env, "SABIKA_DATABASE_CONNECTIONS", 1),
    ...await readKeyService(env, environment),
    listen,
    deliverWebhooks: delivery !== "off",
    watch: readWatch(env),
    webhookCaPem: await optionalFile(env, "SABIKA_WEBHOOK_CA_FILE"),
    webhookAllowLoopback: flag(env, "SABIKA_WEBHOOK_ALLOW_LOOPBACK"),
    nonceRetentionSeconds,
    webhookAttemptsDays: wholeNumber(env, "SABIKA_WEBHOOK_ATTEMPTS_DAYS", 7),
    drainSeconds: wholeNumber(env, "SABIKA_DRAIN_SECONDS"),
    accessLog,
    auditHeadsFile: env["SABIKA_AUDIT_HEADS_FILE"] || undefined,
    openSecretFiles: await findOpenSecretFiles(env, environment),
    otlpEndpoint: env["OTEL_EXPORTER_OTLP_ENDPOINT"] || undefined,
  };
}

const SECRET_FILES = [
  "SABIKA_DATABASE_URL_FILE",
  "SABIKA_CELLS_FILE",
  "SABIKA_MASTER_KEY_FILE",
  "SABIKA_EDGE_SECRET_FILE",
  "SABIKA_TLS_KEY_FILE",
];

/** @throws {SettingsError} in production, for the first one */
async function findOpenSecretFiles(env: Env, environment: Environment): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of SECRET_FILES) {
    const path = env[name];
    // One that is missing is reported by whoever reads it.
    const reason = path && await whyNotPrivate(path).catch(() => undefined);
    if (!reason) continue;
    if (environment === "production") throw new SettingsError(`${name}: ${reason}`);
    found.push(`${name}: ${reason}`);
  }
  return found;
}

/** Reads `unix:/path`, `host:port` or `[::1]:port`. */
function readAddress(name: string, text: string): Address {
  if (text.startsWith("unix:/")) return { path: text.slice("unix:".length) };
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([A-Za-z0-9.-]+)):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new SettingsError(`${name} must be unix:/path or host:port`);
  }
  return { host: match[1] ?? match[2]!, port };
}

/** Metrics have no password: what others can reach has to be declared. */
function readWatch(env: Env): Address | undefined {
  const text = env["SABIKA_WATCH_LISTEN"];
  const mayBeRemote = flag(env, "SABIKA_WATCH_ALLOW_REMOTE");
  if (text === undefined) return undefined;
  const address = readAddress("SABIKA_WATCH_LISTEN", text);
  if ("path" in address || isLoopbackHost(address.host) || mayBeRemote) return address;
  throw new SettingsError(
    `SABIKA_WATCH_LISTEN must be unix:/path or a loopback port, not ${address.host}; where only ` +
      "those who may see the metrics can reach it, set SABIKA_WATCH_ALLOW_REMOTE=true",
  );
}

async function readCells(env: Env): Promise<ReadonlyMap<string, string> | undefined> {
  const text = await optionalFile(env, "SABIKA_CELLS_FILE");
  try {
    return text === undefined ? undefined : readCellUrls(text);
  } catch (error) {
    throw new SettingsError(`SABIKA_CELLS_FILE: ${(error as Error).message}`);
  }
}

async function readListen(env: Env): Promise<Listen> {
  const address = readAddress("SABIKA_LISTEN", required(env, "SABIKA_LISTEN"));
  const edgeSecretFile = env["SABIKA_EDGE_SECRET_FILE"] || undefined;
  const hasTls = env["SABIKA_TLS_CERTIFICATE_FILE"] !== undefined;
  if (edgeSecretFile !== undefined && hasTls) {
    throw new SettingsError(
      "set either SABIKA_EDGE_SECRET_FILE (behind the sidecar) or SABIKA_TLS_CERTIFICATE_FILE (own TLS)",
    );
  }
  if (edgeSecretFile !== undefined) return { kind: "sidecar", address, edgeSecretFile };
  if (!hasTls || "path" in address) {
    throw new SettingsError(
      "SABIKA_LISTEN needs SABIKA_EDGE_SECRET_FILE (behind the sidecar), or host:port with " +
        "SABIKA_TLS_CERTIFICATE_FILE, SABIKA_TLS_KEY_FILE and SABIKA_CLIENT_CA_FILE",
    );
  }
  return {
    kind: "tls",
    ...address,
    certificatePem: await requiredFile(env, "SABIKA_TLS_CERTIFICATE_FILE"),
    keyPem: await requiredFile(env, "SABIKA_TLS_KEY_FILE"),
    clientCaPem: await requiredFile(env, "SABIKA_CLIENT_CA_FILE"),
  };
}

function readBaseUrl(
  text: string | undefined,
  listen: ServiceSettings["listen"],
): string | undefined {
  if (text === undefined) {
    if (listen.kind !== "sidecar") return undefined;
    throw new SettingsError("SABIKA_BASE_URL is missing: the address that partners call and sign");
  }
  // Nothing that a URL library would normalise: it is compared byte for byte.
  if (!/^https:\/\/[a-z0-9.-]+(?::[0-9]{1,5})?(?:\/[A-Za-z0-9_.~-]+)*$/.test(text)) {
    throw new SettingsError(
      "SABIKA_BASE_URL must be https://host[:port][/path], in lower case and without a trailing slash",
    );
  }
  return text;
}

async function readKeyService(
  env: Env,
  environment: Environment,
): Promise<Pick<ServiceSettings, "masterKeys" | "reloadMasterKeys" | "kms">> {
  let kms: KmsSettings | undefined;
  try {
    kms = readKmsSettings(env, environment);
  } catch (error) {
    throw new SettingsError((error as Error).message);
  }
  const isFile = env["SABIKA_MASTER_KEY"] ?? env["SABIKA_MASTER_KEY_FILE"];
  if (kms !== undefined && !isFile) return { kms };
  return { kms, masterKeys: await readKeys(env), reloadMasterKeys: () => readKeys(env) };
}

async function readKeys(env: Env): Promise<MasterKeys> {
  const text = env["SABIKA_MASTER_KEY"] ?? await optionalFile(env, "SABIKA_MASTER_KEY_FILE");
  if (text === undefined || text.trim() === "") {
    throw new SettingsError(
      "SABIKA_MASTER_KEY or SABIKA_MASTER_KEY_FILE is missing: the key that encrypts stored secrets",
    );
  }
  try {
    return readMasterKeys(text);
  } catch (error) {
    throw new SettingsError(`the master key cannot be read: ${(error as Error).message}`);
  }
}

function required(env: Env, name: string): string {
  const value = env[name];
  if (value === undefined || value === "") throw new SettingsError(`${name} is missing`);
  return value;
}

function wholeNumber(env: Env, name: string, least = 0): number | undefined {
  const value = env[name];
  if (value === undefined || value === "") return undefined;
  if (!/^(?:0|[1-9][0-9]{0,8})$/.test(value)) {
    throw new SettingsError(`${name} must be a whole number`);
  }
  if (Number(value) < least) throw new SettingsError(`${name} must be ${least} or more`);
  return Number(value);
}

function flag(env: Env, name: string): boolean {
  const value = env[name] ?? "";
  if (!["", "0", "1", "false", "true"].includes(value)) {
    throw new SettingsError(`${name} must be true or false`);
  }
  return value === "1" || value === "true";
}

async function requiredFile(env: Env, name: string): Promise<string> {
  const path = required(env, name);
  try {
    return await readFile(path, "utf8");
  } catch {
    throw new SettingsError(`${name}: ${path} cannot be read`);
  }
}

async function optionalFile(env: Env, name: string): Promise<string | undefined> {
  return env[name] ? await requiredFile(env, name) : undefined;
}
