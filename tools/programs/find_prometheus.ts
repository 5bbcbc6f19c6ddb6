import { join } from "node:path";
import { buildGoProgram } from "./build_go_program.ts";
import { fetchDebianPackages } from "./fetch_debian_packages.ts";
import { onPath } from "./on_path.ts";

/** Before 0.17 it does not know PostgreSQL 17 and later, so Debian's 0.11 will not do. */
const EXPORTER_VERSION = "0.19.1";

/**
 * The paths of Prometheus and its promtool: those on the PATH, else Debian's, unpacked into the cache
 * folder (19 MB, once).
 *
 * @throws Error with the reason when none can be had on this machine
 */
export async function findPrometheus(): Promise<{ prometheus: string; promtool: string }> {
  const [prometheus, promtool] = [onPath("prometheus"), onPath("promtool")];
  if (prometheus !== undefined && promtool !== undefined) return { prometheus, promtool };
  const folder = await fetchDebianPackages("prometheus", { needed: false });
  const bin = join(folder, "usr", "bin");
  return { prometheus: join(bin, "prometheus"), promtool: join(bin, "promtool") };
}

/**
 * The path of the Prometheus community's exporter for PostgreSQL: one on the PATH, else it is built
 * (Go 1.25 or later; about 30 s, once).
 *
 * @throws Error with the reason when none can be had on this machine
 */
export async function findPostgresExporter(
  progress?: (words: string) => void,
): Promise<string> {
  const installed = onPath("postgres_exporter");
  if (installed !== undefined) return installed;
  return await buildGoProgram({
    name: "postgres_exporter",
    version: EXPORTER_VERSION,
    package: "github.com/prometheus-community/postgres_exporter/cmd/postgres_exporter",
    seconds: 30,
    progress,
  });
}
