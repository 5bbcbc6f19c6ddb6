import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Opened } from "@sabika/server";
import { type RunningPostgreSQL, runPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import { CELL_SETTINGS, POSTGRESQL_SETTINGS, replicationSettings } from "../services.ts";
import { StartError } from "../start_error.ts";
import {
  type Cluster,
  type ClusterParts,
  type ClusterPrograms,
  hasCluster,
  startCluster,
} from "./cluster.ts";
import type { Restarts } from "./restarts.ts";
import type { StackFolders } from "./stack_folders.ts";

/** The PostgreSQL servers of a stack, for control and for each cell beside it. */
export interface StackDatabases {
  /** Control's server, unless it is a cluster. */
  readonly control: RunningPostgreSQL | undefined;
  /** Control's servers, when one takes over from another. */
  readonly cluster: Cluster | undefined;
  /** The superuser's URL of control, whichever server is the primary. */
  readonly controlUrl: string;
  /** By the cells' names. */
  readonly cells: ReadonlyMap<string, RunningPostgreSQL>;
  /** The superusers' URLs by the cells' names, as `controlUrl`. */
  readonly cellUrls: ReadonlyMap<string, string>;
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

/** The settings of a stack that decide on its databases. */
export interface DatabaseSettings {
  /** How many cells beside control's database; left out, those that the folder has. */
  cells?: number | undefined;
  /** Three PostgreSQL servers that Patroni fails over; without it there is one. */
  ha?: Pick<ClusterParts, "groups"> | undefined;
  /** For tests: gives each database a standby, which all parts follow once it is promoted. */
  addStandby?: AddStandby | undefined;
  /** Called with a line for each step. */
  progress?: (line: string) => void;
}

/**
 * Checks what a stack with `--ha` cannot have.
 *
 * @throws {StartError} when it has cells, or the folder's database is one server and is to be a cluster, or
 * the reverse
 */
export async function checkKind(
  { ha, cells }: DatabaseSettings,
  folders: StackFolders,
): Promise<void> {
  if (ha === undefined) {
    if (!await hasCluster(folders.cluster)) return;
    throw new StartError("this data is of --ha: start it with --ha");
  }
  if ((cells ?? (await readdir(folders.cells)).length) > 0) {
    throw new StartError("--ha: cells have one server each here: leave out --cells");
  }
  if (await stat(folders.postgresql).then(() => true, () => false)) {
    throw new StartError(
      "--ha: this data has one server: choose another folder with --data FOLDER",
    );
  }
}

/** What a stack's databases are made with. */
interface DatabaseParts {
  readonly settings: DatabaseSettings;
  readonly folders: StackFolders;
  readonly restarts: Restarts;
  readonly random: (length: number) => Uint8Array;
  /** Undefined without `--ha`. */
  readonly clusterPrograms: ClusterPrograms | undefined;
}

/** Starts the servers, each in its own folder; a server that ends by itself is started again. */
export async function startDatabases(
  cellIds: readonly string[],
  { settings, folders, restarts, random, clusterPrograms }: DatabaseParts,
  opened: Opened,
): Promise<StackDatabases> {
  const { addStandby, progress = () => {} } = settings;
  if (clusterPrograms !== undefined) {
    progress("three PostgreSQL, durable, with Patroni and etcd");
    const parts = {
      folder: folders.cluster,
      logsFolder: folders.logs,
      restarts,
      random,
      settings: { ...POSTGRESQL_SETTINGS, shared_buffers: "128MB" },
    };
    const cluster = await startCluster({ ...parts, ...settings.ha }, clusterPrograms, opened);
    const none = { cells: new Map(), cellUrls: new Map() };
    return { control: undefined, cluster, controlUrl: cluster.url, ...none };
  }
  const others = cellIds.length === 0 ? "" : `, and one for each of ${cellIds.length} cells`;
  progress(`PostgreSQL, durable${others}`);
  const start = async (name: string, folder: string, settings: Record<string, string>) => {
    const postgresql = await runPostgreSQL({ durable: true, folder, settings });
    opened.add(() => postgresql.stop());
    // A new start recovers from the log.
    postgresql.onEnd(() => restarts.again(`${name} ended by itself`, () => postgresql.restart()));
    return { postgresql, url: await addStandby?.(postgresql, settings) ?? postgresql.socketUrl };
  };
  const control = await start("PostgreSQL", folders.postgresql, {
    ...POSTGRESQL_SETTINGS,
    ...(cellIds.length > 0 && replicationSettings(cellIds.length)),
  });
  const cells = new Map<string, RunningPostgreSQL>();
  const cellUrls = new Map<string, string>();
  for (const cellId of cellIds) {
    const folder = join(folders.cells, cellId, "postgresql");
    const cell = await start(`PostgreSQL of ${cellId}`, folder, { ...CELL_SETTINGS });
    cells.set(cellId, cell.postgresql);
    cellUrls.set(cellId, cell.url);
  }
  return {
    control: control.postgresql,
    cluster: undefined,
    controlUrl: control.url,
    cells,
    cellUrls,
  };
}
