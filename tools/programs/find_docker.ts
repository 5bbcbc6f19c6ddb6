import { join } from "node:path";
import process from "node:process";
import { cacheFolder } from "./cache_folder.ts";
import { fetchDebianPackages } from "./fetch_debian_packages.ts";
import { fetchOnce } from "./fetch_once.ts";
import { onPath } from "./on_path.ts";

/**
 * The folders of Docker's engine, its client and what they start, for a PATH: none when they are on it
 * already, else those of Debian's, unpacked into the cache folder (60 MB, once). Nothing is installed.
 *
 * @throws Error with the reason when none can be had on this machine
 */
export async function findDocker(): Promise<string[]> {
  const needed = ["docker", "dockerd", "containerd", "runc"];
  if (needed.every((name) => onPath(name) !== undefined)) return [];
  const folder = await fetchOnce(
    join(cacheFolder(), `docker-${process.arch}`),
    (part) => fetchDebianPackages("docker.io", part, { needed: true }),
  );
  return ["usr/sbin", "usr/bin"].map((name) => join(folder, name));
}
