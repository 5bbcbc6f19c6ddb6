import { setTimeout as pause } from "node:timers/promises";
import {
  CellError,
  createCells,
  ofEach,
  type OpenCells,
  SchemaError,
  verifyCell,
} from "@sabika/core/store";
import type { Log } from "./logging/log.ts";
import { checkDatabase, openPools, type ServiceDatabases } from "./open_databases.ts";
import type { Opened } from "./opened.ts";
import { SettingsError } from "./read_setting.ts";
import type { ServiceSettings } from "./settings.ts";

const RETRY_MS = 5_000;

/**
 * Opens the service's connections to the cells beside control (Decision D53). One that is away, behind
 * or another than its name says keeps nobody else waiting: its partners are refused until a later look
 * finds it right.
 */
export async function openCells(
  { settings, control, cellOf, log, opened }: {
    readonly settings: ServiceSettings;
    readonly control: ServiceDatabases;
    readonly cellOf: (partnerId: number) => string | undefined;
    readonly log: Log;
    readonly opened: Opened;
  },
): Promise<OpenCells<ServiceDatabases>> {
  const cells = createCells(control, cellOf);
  const ending = new AbortController();
  const { signal } = ending;
  opened.add(() => ending.abort());

  async function enter(cellId: string, databases: ServiceDatabases): Promise<boolean> {
    const { trading: database } = databases;
    try {
      await checkDatabase(database, settings);
      await verifyCell({ database, cellId, control: control.trading.sql });
    } catch (error) {
      if (!signal.aborted) log("warning", "cell_away", { cell: cellId, reason: reasonOf(error) });
      return false;
    }
    cells.add(cellId, databases);
    log("info", "cell_open", { cell: cellId });
    return true;
  }

  async function keepTrying(cellId: string, databases: ServiceDatabases): Promise<void> {
    do await pause(RETRY_MS, undefined, { signal }); while (!await enter(cellId, databases));
  }

  await ofEach(settings.cellUrls ?? [], async ([cellId, url]) => {
    const databases = openPools(url, settings, opened);
    // It is rejected when the service stops.
    if (!await enter(cellId, databases)) keepTrying(cellId, databases).catch(() => {});
  });
  return cells;
}

function reasonOf(error: unknown): string {
  const isOurs = error instanceof CellError || error instanceof SchemaError ||
    error instanceof SettingsError;
  return isOurs ? error.message : String((error as { code?: unknown }).code ?? "unknown");
}
