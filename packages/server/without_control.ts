import type { Database } from "@sabika/database";
import type { KeyService } from "@sabika/identity/secrets";
import { formatTime } from "@sabika/protocol";
import { type Cells, MAIN_CELL } from "@sabika/service/cells";
import { SchemaError } from "@sabika/service/schema";
import { SettingsError } from "@sabika/terms/settings";
import { awaitDatabase } from "./await_database.ts";
import { startJobs } from "./jobs.ts";
import type { Log } from "./logging/log.ts";
import { checkControl, type ServiceDatabases } from "./open_databases.ts";
import { awayMsOf } from "./open_register.ts";
import type { Opened } from "./opened.ts";
import type { ServiceSettings } from "./settings.ts";
import { readSnapshot, type Snapshot, snapshotJob, type SnapshotParts } from "./snapshot.ts";

// How a server starts while control is away (Decision D116).

/** Reads the snapshot that the settings name; logs why it is of no use, if it is none. */
export async function findSnapshot(
  settings: ServiceSettings,
  { log, ...parts }: { readonly keys: KeyService; readonly now: () => number; readonly log: Log },
): Promise<Snapshot | undefined> {
  const { snapshotFile: file, environment } = settings;
  if (file === undefined || settings.cellUrls === undefined) return undefined;
  try {
    const awayMs = awayMsOf(settings);
    const snapshot = await readSnapshot({ ...parts, file, environment, awayMs });
    log("warning", "snapshot_read", { reason: `as of ${formatTime(snapshot.register.asOfMs)}` });
    return snapshot;
  } catch (error) {
    log("warning", "snapshot_refused", { reason: (error as Error).message });
    return undefined;
  }
}

/** Keeps the snapshot that the settings name. */
export function keepSnapshot(
  { settings, onError, opened, ...context }:
    & Omit<SnapshotParts, "file" | "register" | "agreed">
    & {
      readonly settings: ServiceSettings;
      readonly opened: Opened;
      readonly onError: (name: string, error: unknown) => void;
    },
  parts: Pick<SnapshotParts, "register" | "agreed">,
): void {
  const { snapshotFile: file, cellUrls } = settings;
  if (file === undefined || cellUrls === undefined) return;
  opened.add(startJobs([snapshotJob({ ...context, ...parts, file })], onError));
}

/** The database whose clock is asked: control's, or another cell's. @throws Error when there is none */
export function clockDatabase(
  { databases, snapshot }: {
    readonly databases: ServiceDatabases;
    readonly snapshot: Snapshot | undefined;
  },
  cells: Cells<ServiceDatabases>,
): Database {
  if (snapshot === undefined) return databases.trading;
  const found = [...cells.all()].find(([cellId]) => cellId !== MAIN_CELL);
  if (found === undefined) throw new Error("neither control nor a cell can be used");
  return found[1].trading;
}

/**
 * Checks control when it answers again, as a starting server does.
 *
 * @param refuse called when this server must not serve on it
 */
export async function checkControlLater(
  { settings, databases, log, opened }: {
    readonly settings: ServiceSettings;
    readonly databases: ServiceDatabases;
    readonly log: Log;
    readonly opened: Opened;
  },
  refuse: () => void,
): Promise<void> {
  try {
    await awaitDatabase(databases.trading, log, opened);
    await checkControl(databases.trading, settings);
  } catch (error) {
    // Any other failure leaves it without a register, which lets nobody in.
    if (!(error instanceof SettingsError || error instanceof SchemaError)) return;
    refuse();
    log("error", "control_refused", { reason: error.message });
  }
}
