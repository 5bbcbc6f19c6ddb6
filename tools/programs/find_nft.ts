import { join } from "node:path";
import process from "node:process";
import { fetchDebianPackages, libraryPath } from "./fetch_debian_packages.ts";
import { isExecutable, onPath } from "./on_path.ts";

/** Debian's place for it, which is on root's PATH alone. */
const DEBIANS = "/usr/sbin/nft";

/**
 * nftables' command: one that is installed, else Debian's with the libraries that are missing here.
 *
 * @throws Error with the reason when none can be had on this machine
 */
export async function findNft() {
  const installed = onPath("nft") ?? (isExecutable(DEBIANS) ? DEBIANS : undefined);
  if (installed !== undefined) return { path: installed, env: process.env };
  const usr = join(await fetchDebianPackages("nftables"), "usr");
  return {
    path: join(usr, "sbin", "nft"),
    env: { ...process.env, LD_LIBRARY_PATH: await libraryPath(usr) },
  };
}
