/** Images of this machine's PostgreSQL and Envoy, which replace those that the compose files name. */
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { DockerEngine } from "../../../tools/programs/docker_engine.ts";
import { findProgram } from "../../../tools/programs/find_program.ts";
import { onPath } from "../../../tools/programs/on_path.ts";
import { findPostgreSQL } from "../../../tools/programs/postgresql_binaries.ts";
import { mustRun } from "../../../tools/programs/run_program.ts";
import { addProgram } from "./root_folder.ts";
import { importImage } from "./stand_in_images.ts";

/** The user `postgres` of PostgreSQL's image. */
const POSTGRES = "999:999";
/** An entry point like that of PostgreSQL's image: the first start creates a database with a password. */
const START = `#!/bin/sh
set -eu
export PGDATA=/var/lib/postgresql/18/docker
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  initdb --pgdata "$PGDATA" --username "$POSTGRES_USER" --pwfile "$POSTGRES_PASSWORD_FILE" $POSTGRES_INITDB_ARGS
  echo "CREATE DATABASE $POSTGRES_DB" | postgres --single -D "$PGDATA" postgres
fi
exec "$@"
`;

/** Imports this machine's PostgreSQL, whatever its version, under the image's name. */
export async function importPostgreSQL(engine: DockerEngine, name: string): Promise<void> {
  const bin = await findPostgreSQL();
  const home = dirname(bin);
  const shared = ["/usr/share/zoneinfo", join("/usr/share/postgresql", basename(home))];
  await importImage(engine, name, async (root) => {
    await cp(home, join(root, home), { recursive: true });
    for (const folder of shared.filter(existsSync)) {
      await cp(folder, join(root, folder), { recursive: true });
    }
    const libraries = (await readdir(join(home, "lib"))).filter((file) => file.endsWith(".so"));
    for (const file of libraries) await addProgram(root, join(home, "lib", file));
    for (const program of ["postgres", "initdb", "pg_isready"]) {
      await addProgram(root, join(bin, program));
    }
    await writeFile(join(root, "bin/docker-entrypoint"), START, { mode: 0o755 });
    const data = join(root, "var/lib/postgresql");
    await mkdir(data, { recursive: true });
    await mustRun("chown", [POSTGRES, data]);
    await chmod(data, 0o700);
  }, [
    `ENV PATH=${bin}:/bin`,
    'ENTRYPOINT ["/bin/docker-entrypoint"]',
  ]);
}

/** Imports Envoy under its image's name, with Bash, which that image has too. */
export async function importEnvoy(engine: DockerEngine, name: string): Promise<void> {
  const envoy = (await findProgram("envoy")).command;
  await importImage(engine, name, async (root) => {
    await addProgram(root, envoy, "/usr/local/bin/envoy");
    await addProgram(root, onPath("bash") ?? "/bin/bash", "/bin/bash");
  });
}
