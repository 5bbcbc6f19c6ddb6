import { isLoopbackHost } from "@sabika/network";
import {
  type Address,
  type Env,
  readOptionalFile,
  readSetting,
  requireFile,
  requireSetting,
  SettingsError,
} from "@sabika/terms/settings";
import type { Listen } from "./listeners/listen.ts";
import { readSharedSettings, type SharedSettings } from "./shared_settings.ts";

/** Everything about a service that can be configured. */
export interface ServiceSettings extends SharedSettings {
  /**
   * The address that partners use; the URL they sign begins with it. By default
   * `https://127.0.0.1:<port>` of the server's own TLS.
   */
  readonly baseUrl?: string;
  /** The most connections to each cell for trading, 8 by default; reads, checks and deliveries have others. */
  readonly databaseConnections?: number;
  /** `nowhere` for an instance that serves no partners and only delivers webhooks. */
  readonly listen: Listen | { readonly kind: "nowhere" };
  /** How long partners of other cells go on while control is away (Decision D116); 300 by default. */
  readonly controlAwaySeconds?: number;
  /** The file of the snapshot of control (Decision D116); none by default. */
  readonly snapshotFile?: string;
  /** The address of /metrics, /live, /ready and /health; none by default. */
  readonly watch?: Address;
  /** An authority that webhook receivers are checked against, besides the system's. */
  readonly webhookCaPem?: string;
  /** Whether webhooks may go to this machine itself; only the sandbox sets it. */
  readonly webhookAllowLoopback?: boolean;
  /** How long a spent nonce is kept; a day by default (Decision D25). */
  readonly nonceRetentionSeconds?: number;
  /** How long evidence is kept; 3653 by default (Decision D86). */
  readonly evidenceDays?: number;
  readonly priceDays?: number;
  /** How long attempts to deliver webhooks are kept; 90 by default. */
  readonly webhookAttemptsDays?: number;
  /** How long a stopping instance still serves, for the sidecar to stop sending first; 3 behind it, else 0. */
  readonly drainSeconds?: number;
  /** For tests: how far this clock may be from the database's (Decision D12); 1 s by default. */
  readonly clockOffsetLimitMs?: number;
  /** For tests: how often each cell is checked; 5 s by default. */
  readonly cellCheckMs?: number;
  /** Whether this instance also delivers webhooks; it does by default. */
  readonly deliverWebhooks?: boolean;
  /** Which answers are logged; all by default. */
  readonly accessLog?: "all" | "refusals" | "none";
  /** The file to which each new head of the audit log is appended; it is logged in any case. */
  readonly auditHeadsFile?: string;
  /** OTLP over HTTP; nothing is traced by default. */
  readonly otlpEndpoint?: string;
}

/**
 * Reads the settings out of environment variables.
 *
 * @param env such as `process.env`
 * @throws {SettingsError} when one is missing or wrong, or has a name that nobody reads
 */
export async function readSettings(env: Env): Promise<ServiceSettings> {
  const delivery = readSetting(env, "SABIKA_WEBHOOK_DELIVERY");
  const listen = delivery === "alone" ? { kind: "nowhere" } as const : await readListen(env);
  return {
    ...await readSharedSettings(env, "server"),
    baseUrl: readBaseUrl(env, listen),
    databaseConnections: readSetting(env, "SABIKA_DATABASE_CONNECTIONS"),
    listen,
    controlAwaySeconds: readSetting(env, "SABIKA_CONTROL_AWAY_SECONDS"),
    snapshotFile: readSetting(env, "SABIKA_SNAPSHOT_FILE"),
    deliverWebhooks: delivery !== "off",
    watch: readWatch(env),
    webhookCaPem: await readOptionalFile(env, "SABIKA_WEBHOOK_CA_FILE"),
    webhookAllowLoopback: readSetting(env, "SABIKA_WEBHOOK_ALLOW_LOOPBACK"),
    nonceRetentionSeconds: readSetting(env, "SABIKA_NONCE_RETENTION_SECONDS"),
    evidenceDays: readSetting(env, "SABIKA_EVIDENCE_DAYS"),
    priceDays: readSetting(env, "SABIKA_PRICE_DAYS"),
    webhookAttemptsDays: readSetting(env, "SABIKA_WEBHOOK_ATTEMPTS_DAYS"),
    drainSeconds: readSetting(env, "SABIKA_DRAIN_SECONDS"),
    accessLog: readSetting(env, "SABIKA_ACCESS_LOG"),
    auditHeadsFile: readSetting(env, "SABIKA_AUDIT_HEADS_FILE"),
    otlpEndpoint: readSetting(env, "OTEL_EXPORTER_OTLP_ENDPOINT"),
  };
}

/** Metrics have no password: what others can reach has to be declared. */
function readWatch(env: Env): Address | undefined {
  const address = readSetting(env, "SABIKA_WATCH_LISTEN");
  const mayBeRemote = readSetting(env, "SABIKA_WATCH_ALLOW_REMOTE");
  if (address === undefined) return undefined;
  if ("path" in address || isLoopbackHost(address.host) || mayBeRemote) return address;
  throw new SettingsError(
    `SABIKA_WATCH_LISTEN must be unix:/path or a loopback port, not ${address.host}; where only ` +
      "those who may see the metrics can reach it, set SABIKA_WATCH_ALLOW_REMOTE=true",
  );
}

async function readListen(env: Env): Promise<Listen> {
  const address = requireSetting(env, "SABIKA_LISTEN");
  const edgeSecretFile = readSetting(env, "SABIKA_EDGE_SECRET_FILE");
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
    certificatePem: await requireFile(env, "SABIKA_TLS_CERTIFICATE_FILE"),
    keyPem: await requireFile(env, "SABIKA_TLS_KEY_FILE"),
    clientCaPem: await requireFile(env, "SABIKA_CLIENT_CA_FILE"),
  };
}

function readBaseUrl(env: Env, listen: ServiceSettings["listen"]): string | undefined {
  const url = readSetting(env, "SABIKA_BASE_URL");
  if (url !== undefined || listen.kind !== "sidecar") return url;
  throw new SettingsError("SABIKA_BASE_URL is missing: the address that partners call and sign");
}
