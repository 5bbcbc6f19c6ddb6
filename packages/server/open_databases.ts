import { type Database, openDatabase, openStandbys, type Standbys } from "@sabika/database";
import { verifySchema } from "@sabika/service/schema";
import { awaitDatabase } from "./await_database.ts";
import type { Log } from "./logging/log.ts";
import type { Opened } from "./opened.ts";
import {
  checkProductionDatabase,
  checkProductionRole,
  checkProductionRoot,
  checkProductionSessions,
} from "./production_checks.ts";
import type { ServiceSettings } from "./settings.ts";
import type { Snapshot } from "./snapshot.ts";

/** Longer than any statement of a service takes. */
const ANSWER_TIMEOUT_MS = 15_000;

const READING_CONNECTIONS = 4;
const STATEMENT_CONNECTIONS = 2;
const DELIVERY_CONNECTIONS = 4;
/** A read that takes longer is cancelled; the sidecar would give up at 20 s. */
const READING_TIMEOUT_MS = 10_000;
/** Shorter, since the primary answers then. */
const STANDBY_TIMEOUT_MS = 4_000;

/** The connections of a service to one database. */
export interface ServiceDatabases {
  readonly trading: Database;
  /** Connections for lists and single reads, which do not hold up trading. */
  readonly reading: Database;
  /** The standbys that `reading` and `statements` read the past on. */
  readonly standbys: Standbys;
  /** For statements, which may have millions of entries and do not hold up other reads. */
  readonly statements: Database;
  /** One connection for the checks of balances and the closing of days. */
  readonly checking: Database;
  /** For delivering webhooks; what a crash loses here is delivered again. */
  readonly delivery: Database;
}

/**
 * Opens the service's connections to control's migrated database as soon as it answers; it does not change
 * the schema. While control is away a snapshot is returned, if there is one.
 *
 * @throws {SettingsError} when production must not run on this database
 * @throws {SchemaError} when it is of a version that this program must not run on (Decision D49)
 */
export async function openDatabases(
  settings: ServiceSettings,
  { log, opened, snapshot: readSnapshot }: {
    readonly log: Log;
    readonly opened: Opened;
    /** Reads what a server may start by while control is away (Decision D116); undefined if there is nothing. */
    readonly snapshot: () => Promise<Snapshot | undefined>;
  },
): Promise<{ readonly databases: ServiceDatabases; readonly snapshot: Snapshot | undefined }> {
  const databases = openPools(settings.databaseUrl, settings, opened);
  const snapshot = await awaitDatabase(databases.trading, log, opened, readSnapshot);
  if (snapshot === undefined) await checkControl(databases.trading, settings);
  return { databases, snapshot };
}

/** Checks control's database as `checkDatabase` does, and that production's has no root key. */
export async function checkControl(database: Database, settings: ServiceSettings): Promise<void> {
  await checkDatabase(database, settings);
  if (settings.environment === "production") await checkProductionRoot(database);
}

/** Checks a database, control's or a cell's, before it is used; throws as `openDatabases`. */
export async function checkDatabase(
  database: Database,
  { environment }: Pick<ServiceSettings, "environment">,
): Promise<void> {
  if (environment === "production") {
    await checkProductionDatabase(database);
    await checkProductionSessions(database);
  }
  await verifySchema(database);
  if (environment === "production") await checkProductionRole(database);
}

/** Opens the connections to one database; each is made when first needed. */
export function openPools(
  databaseUrl: string,
  { databaseConnections, standbyLagSeconds = 0 }: Pick<
    ServiceSettings,
    "databaseConnections" | "standbyLagSeconds"
  >,
  opened: Opened,
): ServiceDatabases {
  const trading = openDatabase(databaseUrl, {
    maxConnections: databaseConnections,
    applicationName: "sabika-server",
    answerTimeoutMs: ANSWER_TIMEOUT_MS,
  });
  opened.add(() => trading.close());
  const aside = (purpose: string, maxConnections: number, waitsForDisk = true) => {
    const database = openDatabase(databaseUrl, {
      maxConnections,
      waitsForDisk,
      applicationName: `sabika-server-${purpose}`,
      statementTimeoutMs: READING_TIMEOUT_MS,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
    });
    opened.add(() => database.close());
    return database;
  };
  const reading = aside("reading", READING_CONNECTIONS);
  const statements = aside("statements", STATEMENT_CONNECTIONS);
  const checking = aside("checking", 1);
  const delivery = aside("delivery", DELIVERY_CONNECTIONS, false);
  const standbys = openStandbys({
    url: databaseUrl,
    primary: reading,
    lagLimitMs: standbyLagSeconds * 1_000,
    monotonic: () => performance.now(),
    options: {
      maxConnections: READING_CONNECTIONS,
      applicationName: "sabika-server-past",
      statementTimeoutMs: STANDBY_TIMEOUT_MS,
      answerTimeoutMs: 2 * STANDBY_TIMEOUT_MS,
    },
  });
  opened.add(() => standbys.close());
  return {
    trading,
    reading: standbys.behind(reading),
    statements: standbys.behind(statements),
    standbys,
    checking,
    delivery,
  };
}
