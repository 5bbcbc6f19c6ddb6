import { join } from "node:path";
import { fetchDebianPackages } from "./fetch_debian_packages.ts";
import { onPath } from "./on_path.ts";

/** How a program is called. */
export interface ProgramCall {
  command: string;
  /** What comes before its own arguments. */
  args: string[];
  env: Record<string, string>;
}

/**
 * Compose for Docker: the `docker-compose` on the PATH, else Debian's, unpacked into the cache folder
 * (2 MB, once). Nothing is installed.
 *
 * @throws Error with the reason when none can be had on this machine
 */
export async function findCompose(): Promise<ProgramCall> {
  const installed = onPath("docker-compose");
  if (installed !== undefined) return { command: installed, args: [], env: {} };
  const folder = await fetchDebianPackages("docker-compose");
  return {
    // The Python that Debian's packages are for, whichever other comes first on the PATH.
    command: "/usr/bin/python3",
    args: [join(folder, "usr/bin/docker-compose")],
    env: { PYTHONPATH: join(folder, "usr/lib/python3/dist-packages") },
  };
}
