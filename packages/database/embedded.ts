import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Worker } from "node:worker_threads";
import type { PGlite } from "@electric-sql/pglite";
import { EMBEDDED_DATABASE_NAME } from "./database_url.ts";
import { lockFolder } from "./folder_lock.ts";
import { servePglite } from "./pglite_connections.ts";

/** The kernel's limit for a Unix socket's path. */
const SOCKET_PATH_BYTES = 107;
const SOCKET_NAME = ".s.PGSQL.5432";

/** The data that an embedded database starts with. */
export interface EmbeddedOptions {
  /** The folder of the data; null for a database in memory. */
  folder: string | null;
  /** A data folder to begin with (`PGlite.dumpDataDir`); for tests. */
  snapshot?: Blob;
}

/** A running embedded database. */
export interface Embedded {
  readonly url: string;
  readonly pglite: PGlite;
  /**
   * Stops the database: other processes cannot find it from then on, and connected ones have `patienceMs`
   * (0 by default) to finish their work.
   */
  stop(patienceMs?: number): Promise<void>;
}

/**
 * Starts PGlite behind a Unix socket, so that clients connect to it as to any PostgreSQL, including
 * `psql -h FOLDER`. For the sandbox and for tests, since it does not fsync.
 *
 * @throws Error when another process has the folder open, or this build is without PGlite
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  if (!isEmbeddable()) {
    throw new Error("this build has no embedded database: give it the URL of a PostgreSQL");
  }
  const unlock = options.folder === null ? undefined : await lock(options.folder);
  let socketFolder: string | undefined;
  try {
    if (options.folder !== null && !options.snapshot) await makeCluster(options.folder);
    const { PGlite } = await import("@electric-sql/pglite");
    const pglite = await PGlite.create({
      dataDir: options.folder === null ? "memory://" : join(options.folder, "cluster"),
      ...(options.snapshot ? { loadDataDir: options.snapshot } : {}),
      relaxedDurability: false,
    });
    const place = await placeSocket(options.folder);
    if (place.temporary) socketFolder = place.folder;
    const listening = await servePglite(pglite, join(place.folder, SOCKET_NAME));
    return {
      url: embeddedUrl(place.folder),
      pglite,
      async stop(patienceMs) {
        if (options.folder !== null) await rm(join(options.folder, "socket"), { force: true });
        await listening.stop(patienceMs);
        await pglite.close();
        if (socketFolder) await rm(socketFolder, { recursive: true, force: true });
        await unlock?.();
      },
    };
  } catch (error) {
    if (socketFolder) await rm(socketFolder, { recursive: true, force: true });
    await unlock?.();
    throw error;
  }
}

/**
 * Returns the URL of the embedded database that another process runs on this folder; undefined
 * if none answers. The operator's command uses it, and otherwise opens the folder itself (Decision D45).
 */
export async function findEmbedded(folder: string): Promise<string | undefined> {
  let socketFolder: string;
  try {
    socketFolder = (await readFile(join(folder, "socket"), "utf8")).trim();
  } catch {
    return undefined;
  }
  const answers = await new Promise<boolean>((resolve) => {
    const socket = connect(join(socketFolder, SOCKET_NAME));
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("close", () => socket.destroy());
    socket.once("connect", () => socket.end());
  });
  return answers ? embeddedUrl(socketFolder) : undefined;
}

function embeddedUrl(socketFolder: string): string {
  return `postgres://postgres@/${EMBEDDED_DATABASE_NAME}?host=${encodeURIComponent(socketFolder)}`;
}

/**
 * Creates the first files in a separate process: PGlite's initdb needs about 400 MB, which this process
 * would keep. On Deno, whose sandbox may start no process, it uses a thread. The folder only gets its
 * name when it is complete.
 */
async function makeCluster(folder: string): Promise<void> {
  const cluster = join(folder, "cluster");
  if (existsSync(cluster)) return;
  const unfinished = `${cluster}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await new Promise<void>((resolve, reject) => {
    const file = new URL("./make_cluster.mjs", import.meta.url);
    // With V8's baseline compiler alone, as in tools/start.mjs.
    const making = "Deno" in globalThis
      ? new Worker(file, { argv: [unfinished] })
      : fork(file, [unfinished], { execArgv: ["--liftoff-only"] });
    making.once("error", reject);
    making.once(
      "exit",
      (code) =>
        code === 0
          ? resolve()
          : reject(new Error(`making the embedded database ended with ${code}`)),
    );
  });
  await rename(unfinished, cluster);
}

/** Places the socket in the data folder, or in a short temporary folder that a file there names. */
async function placeSocket(folder: string | null): Promise<{ folder: string; temporary: boolean }> {
  const fits = folder !== null &&
    new TextEncoder().encode(join(folder, SOCKET_NAME)).length <= SOCKET_PATH_BYTES;
  const place = fits ? folder : await mkdtemp(join(tmpdir(), "sabika-"));
  if (folder !== null) {
    await rm(join(place, SOCKET_NAME), { force: true });
    await writeFile(join(folder, "socket"), place + "\n", { mode: 0o600 });
  }
  return { folder: place, temporary: !fits };
}

/** Whether PGlite is installed; production's build is without it (Decision D80). */
function isEmbeddable(): boolean {
  try {
    return import.meta.resolve("@electric-sql/pglite") !== "";
  } catch {
    return false;
  }
}

/** Locks the folder: PGlite does not notice a second process, and two would destroy the data. */
async function lock(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  return await lockFolder(
    resolve(folder),
    (holder) => new Error(`the embedded database in ${folder} is in use by process ${holder}`),
  );
}
