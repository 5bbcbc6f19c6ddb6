import { chmod, cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { cacheFolder } from "./cache_folder.ts";
import { fetchDebianPackages } from "./fetch_debian_packages.ts";
import { fetchOnce } from "./fetch_once.ts";
import { onPath } from "./on_path.ts";

/**
 * PgBouncer: one on the PATH, else Debian's with the libraries that are missing here.
 *
 * @param folder Debian's is copied there, as it does not run as root and no other may enter root's caches
 * @throws Error with the reason when none can be had on this machine
 */
export async function findPgBouncer(folder: string) {
  const installed = onPath("pgbouncer");
  if (installed !== undefined) return { path: installed, env: {} };
  const fetched = await fetchOnce(
    join(cacheFolder(), `pgbouncer-${process.arch}`),
    (part) => fetchDebianPackages("pgbouncer", part, { needed: true }),
  );
  await cp(join(fetched, "usr"), folder, { recursive: true, verbatimSymlinks: true });
  await chmod(folder, 0o755);
  const libraries = (await readdir(join(folder, "lib"))).filter((one) => one.includes("-linux-"));
  return {
    path: join(folder, "sbin", "pgbouncer"),
    env: { LD_LIBRARY_PATH: libraries.map((one) => join(folder, "lib", one)).join(":") },
  };
}
