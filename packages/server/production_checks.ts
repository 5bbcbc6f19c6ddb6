import { isLoopbackHost } from "@sabika/core/network";
import { type Database, durability, isPrivateWay, readDatabaseUrl } from "@sabika/core/store";
import { type ServiceSettings, SettingsError } from "./settings.ts";

/**
 * Refuses to serve real money in a way that could lose it or let strangers in.
 *
 * @throws {SettingsError} with one line that says what is wrong
 */
export function checkProductionSettings(settings: ServiceSettings): void {
  if (settings.environment !== "production") return;
  const { listen, baseUrl } = settings;
  if (listen.kind !== "sidecar") {
    throw new SettingsError(
      "production listens behind the sidecar alone: set SABIKA_LISTEN and SABIKA_EDGE_SECRET_FILE",
    );
  }
  if (!("path" in listen.address) && !isLoopbackHost(listen.address.host)) {
    throw new SettingsError(
      `production does not listen on ${listen.address.host}: give the sidecar's socket (unix:/path) or a loopback port`,
    );
  }
  if (baseUrl === undefined) throw new SettingsError("production needs SABIKA_BASE_URL");
  if (settings.webhookAllowLoopback) {
    throw new SettingsError("production does not deliver webhooks to this machine itself");
  }
  const database = readDatabaseUrl(settings.databaseUrl);
  if (!isPrivateWay(database)) {
    throw new SettingsError(
      `production reaches its database at ${database.host} over verified TLS alone: add sslmode=verify-full to the URL, and sslrootcert=FILE for an authority of your own`,
    );
  }
}

/** @throws {SettingsError} when a commit in this database might not survive a crash (faults F10). */
export async function checkProductionDatabase(database: Database): Promise<void> {
  if (database.kind === "pglite") {
    throw new SettingsError("production needs PostgreSQL: the embedded database does not fsync");
  }
  const { fsync, synchronousCommit, fullPageWrites } = await durability(database);
  const off = [
    fsync ? "" : "fsync",
    synchronousCommit ? "" : "synchronous_commit",
    fullPageWrites ? "" : "full_page_writes",
  ].filter((name) => name !== "");
  if (off.length > 0) {
    throw new SettingsError(`production needs a durable database: ${off.join(", ")} is off`);
  }
}
