import {
  type Database,
  durability,
  hostsOf,
  isPrivateLink,
  missingSessionSettings,
  readDatabaseUrl,
} from "@sabika/database";
import { isLoopbackHost } from "@sabika/network";
import { hasRootKey } from "@sabika/service/deployment";
import { findExcessPrivileges } from "@sabika/service/schema";
import { SettingsError } from "@sabika/terms/settings";
import type { ServiceSettings } from "./settings.ts";

/**
 * Refuses settings under which real money could be lost or unauthorised callers let in.
 *
 * @throws {SettingsError} with one line that says what is wrong
 */
export function checkProductionSettings(settings: ServiceSettings): void {
  if (settings.environment !== "production") return;
  const { listen, baseUrl } = settings;
  if (listen.kind === "tls") {
    throw new SettingsError(
      "production must listen behind the sidecar: set SABIKA_LISTEN and SABIKA_EDGE_SECRET_FILE",
    );
  }
  if (listen.kind === "sidecar") {
    const { address } = listen;
    if (!("path" in address) && !isLoopbackHost(address.host)) {
      throw new SettingsError(
        `production must not listen on ${address.host}: use the sidecar's socket (unix:/path) or a loopback port`,
      );
    }
    if (baseUrl === undefined) throw new SettingsError("production needs SABIKA_BASE_URL");
  }
  if (settings.webhookAllowLoopback) {
    throw new SettingsError("production must not deliver webhooks to this machine");
  }
  for (const url of [settings.databaseUrl, ...settings.cellUrls?.values() ?? []]) {
    const database = readDatabaseUrl(url);
    if (isPrivateLink(database)) continue;
    throw new SettingsError(
      `production must reach its database at ${hostsOf(database)} over verified TLS: ` +
        "add sslmode=verify-full to the URL, and sslrootcert=FILE if the authority is your own",
    );
  }
}

/**
 * Refuses, with a SettingsError, a database that has the root's private key, from which a reader with the
 * master key could make authorities (Decision D73).
 */
export async function checkProductionRoot(database: Database): Promise<void> {
  if (!await hasRootKey(database)) return;
  throw new SettingsError(
    "production needs the root's private key out of its database: `sabika authority export --root FILE` moves it",
  );
}

/** Refuses, with a SettingsError, a database whose commits might not survive a crash (fault F10). */
export async function checkProductionDatabase(database: Database): Promise<void> {
  if (database.kind === "pglite") {
    throw new SettingsError("production needs PostgreSQL: the embedded database does not fsync");
  }
  const { fsync, synchronousCommit, fullPageWrites } = await durability(database);
  const settings = {
    fsync,
    synchronous_commit: synchronousCommit,
    full_page_writes: fullPageWrites,
  };
  const disabled = Object.entries(settings).filter(([, isOn]) => !isOn).map(([name]) => name);
  if (disabled.length > 0) {
    throw new SettingsError(`production needs a durable database: ${disabled.join(", ")} is off`);
  }
}

/** Refuses, with a SettingsError, sessions without the requested limits, as behind a pooler. */
export async function checkProductionSessions(database: Database): Promise<void> {
  const missing = await missingSessionSettings(database);
  if (missing.length === 0) return;
  throw new SettingsError(
    `production needs ${missing.join(", ")} in force: what stands before the database leaves it ` +
      "out, so set it for the login (docs/database.md)",
  );
}

/** Refuses, with a SettingsError, a role with which a thief could do more than serve (Decision D48). */
export async function checkProductionRole(database: Database): Promise<void> {
  const excess = await findExcessPrivileges(database);
  if (excess.length === 0) return;
  const more = excess.length > 3 ? ` and ${excess.length - 3} more` : "";
  throw new SettingsError(
    "production needs a database role that can only serve, a member of sabika_app: " +
      `this one ${excess.slice(0, 3).join(", ")}${more}`,
  );
}
