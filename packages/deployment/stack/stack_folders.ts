import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DataFolder } from "../folders/data_folder.ts";

/** The longest folder that sockets can lie in: a Unix socket's path may have 107 bytes. */
const LONGEST_SOCKET_FOLDER = 80;

/** Where the stack's parts lie below its data folder. */
export type StackFolders = Awaited<ReturnType<typeof openStackFolders>>;

/** Makes the folders; sockets go to a short temporary folder when the data folder lies too deep. */
export async function openStackFolders(data: DataFolder) {
  const inside = join(data.path, "run");
  const isShort = new TextEncoder().encode(inside).length <= LONGEST_SOCKET_FOLDER;
  const run = isShort ? inside : await mkdtemp(join(tmpdir(), "sabika-stack-"));
  const sidecar = join(data.path, "sidecar");
  const logs = join(data.path, "logs");
  const cells = join(data.path, "cells");
  for (const folder of [run, sidecar, logs, cells]) {
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
    },
    postgresql: join(data.path, "postgresql"),
    /** A folder for each cell beside control's, by its name. */
    cells,
    logs,
    /** Removes the folder of this run's sockets. */
    release: () => rm(run, { recursive: true, force: true }),
  };
}
