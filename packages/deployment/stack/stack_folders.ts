import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DataFolder } from "../folders/data_folder.ts";
import type { Places } from "../places.ts";

/** The longest path of a folder of sockets, in bytes: the path of a Unix socket may have 107. */
const LONGEST_SOCKET_FOLDER = 80;

/** The folders of a stack's parts. */
export interface StackFolders {
  places: Places;
  postgresql: string;
  /** Of the servers that take over from one another. */
  cluster: string;
  /** Has a folder for each cell beside control's, by its name. */
  cells: string;
  logs: string;
  /** Removes the folder of this run's sockets. */
  release(): Promise<void>;
}

/** Makes the folders below the data folder; if its path is too long, sockets are in a temporary one. */
export async function openStackFolders(data: DataFolder): Promise<StackFolders> {
  const inside = join(data.path, "run");
  const isShort = new TextEncoder().encode(inside).length <= LONGEST_SOCKET_FOLDER;
  const run = isShort ? inside : await mkdtemp(join(tmpdir(), "sabika-stack-"));
  const sidecar = join(data.path, "sidecar");
  const logs = join(data.path, "logs");
  const cells = join(data.path, "cells");
  const revocations = join(data.path, "revocations");
  for (const folder of [run, sidecar, logs, cells, revocations]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  return {
    places: {
      secrets: data.path,
      administration: data.path,
      root: data.path,
      databaseSecret: data.path,
      exporter: data.path,
      sidecar,
      sockets: run,
      adminSocket: run,
      authority: data.authority,
      partners: data.partners,
      revocations,
      snapshots: data.path,
    },
    postgresql: join(data.path, "postgresql"),
    cluster: join(data.path, "cluster"),
    cells,
    logs,
    release: () => rm(run, { recursive: true, force: true }),
  };
}
