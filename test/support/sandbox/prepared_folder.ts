import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { startEmbedded } from "@sabika/database";
import { DATA_VERSION } from "@sabika/service/deployment";
import { withLock } from "../../../tools/programs/lock.mjs";

/**
 * Makes a sandbox's data folder that holds only the empty files of its embedded database. They are copied,
 * because making them takes over two seconds of processor time. `packages/sandbox/main_test.ts` and
 * `tools/sandbox_permissions_fault_test.ts` start a sandbox on nothing.
 */
export async function prepareDataFolder(folder: string): Promise<void> {
  await mkdir(join(folder, "database"), { recursive: true, mode: 0o700 });
  await writeFile(join(folder, "version"), `${DATA_VERSION}\n`);
  await cp(join(await madeOnce(), "cluster"), join(folder, "database", "cluster"), {
    recursive: true,
  });
}

/** Returns a folder with the first files, which are made once for each PGlite and kept. */
async function madeOnce(): Promise<string> {
  const parent = join(tmpdir(), `sabika-test-${process.getuid?.() ?? 0}`);
  const folder = join(parent, `cluster-${await makerHash()}`);
  if (existsSync(folder)) return folder;
  await withLock(folder, async () => {
    if (existsSync(folder)) return; // made by the process that held the lock
    await mkdir(parent, { recursive: true, mode: 0o700 });
    const unfinished = `${folder}.${process.pid}`;
    const embedded = await startEmbedded({ folder: unfinished });
    await embedded.stop();
    await rename(unfinished, folder);
  });
  return folder;
}

/** Returns a hash of what the first files depend on: PGlite's manifest, and the program that makes them. */
async function makerHash(): Promise<string> {
  const hash = createHash("sha256");
  const pglite = new URL("../package.json", import.meta.resolve("@electric-sql/pglite"));
  const program = new URL("../../../packages/database/make_cluster.mjs", import.meta.url);
  for (const file of [pglite, program]) hash.update(await readFile(file));
  return hash.digest("hex").slice(0, 16);
}
