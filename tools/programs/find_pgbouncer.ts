import { chmod, cp } from "node:fs/promises";
import { join } from "node:path";
import { fetchDebianPackages, libraryPath } from "./fetch_debian_packages.ts";
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
  const fetched = await fetchDebianPackages("pgbouncer");
  await cp(join(fetched, "usr"), folder, { recursive: true, verbatimSymlinks: true });
  await chmod(folder, 0o755);
  return {
    path: join(folder, "sbin", "pgbouncer"),
    env: { LD_LIBRARY_PATH: await libraryPath(folder) },
  };
}
