/**
 * Runs before and after `npm pack -w packages/client`: while npm packs, the folder of the sources is
 * replaced by that of the package (Decision D74).
 */
import { copyFile, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { ROOT } from "../rules/repository_files.ts";
import { buildClient } from "./build_client.ts";
import { publishedManifest } from "./published_manifest.ts";

const FOLDER = join(ROOT, "packages", "client");
const MANIFEST = join(FOLDER, "package.json");
const KEPT = join(FOLDER, "package.json.kept");
const LICENSE = join(FOLDER, "LICENSE");
const BUILT = join(FOLDER, "dist");

async function prepare(): Promise<void> {
  await restore(); // An earlier pack may have been killed.
  await buildClient(BUILT);
  await copyFile(join(ROOT, "LICENSE"), LICENSE);
  const text = await readFile(MANIFEST, "utf8");
  const published = publishedManifest(JSON.parse(text));
  await writeFile(KEPT, text);
  await writeFile(MANIFEST, `${JSON.stringify(published, null, 2)}\n`);
}

async function restore(): Promise<void> {
  await rename(KEPT, MANIFEST).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rm(LICENSE, { force: true });
  await rm(BUILT, { recursive: true, force: true });
}

await (process.argv[2] === "prepare" ? prepare() : restore());
