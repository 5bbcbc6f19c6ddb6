import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Opened } from "@sabika/server";
import { type RunningPostgreSQL, runPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import { CELL_SETTINGS, POSTGRESQL_SETTINGS, replicationSettings } from "../services.ts";
import { StartError } from "../start_error.ts";
import type { Restarts } from "./restarts.ts";
import type { StackFolders } from "./stack_folders.ts";

/** The PostgreSQL servers of a stack, one for control and one for each cell beside it. */
export interface StackDatabases {
  readonly control: RunningPostgreSQL;
  /** By the cells' names. */
  readonly cells: ReadonlyMap<string, RunningPostgreSQL>;
  /** The superuser's URL of a server, and of its standby. */
  urlOf(postgresql: RunningPostgreSQL): string;
}

/**
 * Gives a server that was started with these settings a standby.
 *
 * @returns the superuser's URL of both, whichever is the primary
 */
export type AddStandby = (
  primary: RunningPostgreSQL,
  settings: Readonly<Record<string, string>>,
) => Promise<string>;

/**
 * Returns the names of a stack's cells, `cell_1` and so on: as many as asked for, else as the folder has.
 *
 * @throws {StartError} when the folder has more: their partners could not trade
 */
export async function cellsOf(
  { cells: folder }: StackFolders,
  asked: number | undefined,
): Promise<string[]> {
  const found = (await readdir(folder)).length;
  if (asked !== undefined && asked < found) {
    throw new StartError(`this data has ${found} cells: start it with --cells ${found} or more`);
  }
  return Array.from({ length: asked ?? found }, (_, index) => `cell_${index + 1}`);
}

/** Starts the servers, each in its own folder; a server that ends by itself is started again. */
export async function startDatabases(
  cellIds: readonly string[],
  { folders, restarts, opened, addStandby }: {
    folders: StackFolders;
    restarts: Restarts;
    opened: Opened;
    addStandby?: AddStandby | undefined;
  },
): Promise<StackDatabases> {
  const followed = new Map<RunningPostgreSQL, string>();
  const start = async (name: string, folder: string, settings: Record<string, string>) => {
    const postgresql = await runPostgreSQL({ durable: true, folder, settings });
    opened.add(() => postgresql.stop());
    // A new start recovers from the log.
    postgresql.onEnd(() => restarts.again(`${name} ended by itself`, () => postgresql.restart()));
    if (addStandby) followed.set(postgresql, await addStandby(postgresql, settings));
    return postgresql;
  };
  const control = await start("PostgreSQL", folders.postgresql, {
    ...POSTGRESQL_SETTINGS,
    ...(cellIds.length > 0 && replicationSettings(cellIds.length)),
  });
  const cells = new Map<string, RunningPostgreSQL>();
  for (const cellId of cellIds) {
    const folder = join(folders.cells, cellId, "postgresql");
    cells.set(cellId, await start(`PostgreSQL of ${cellId}`, folder, { ...CELL_SETTINGS }));
  }
  return { control, cells, urlOf: (server) => followed.get(server) ?? server.socketUrl };
}
