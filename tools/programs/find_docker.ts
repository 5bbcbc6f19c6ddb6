import { join } from "node:path";
import { fetchDebianPackages } from "./fetch_debian_packages.ts";
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
  const folder = await fetchDebianPackages("docker.io");
  return ["usr/sbin", "usr/bin"].map((name) => join(folder, name));
}
