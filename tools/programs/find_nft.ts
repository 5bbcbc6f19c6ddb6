import { readdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { cacheFolder } from "./cache_folder.ts";
import { fetchDebianPackages } from "./fetch_debian_packages.ts";
import { fetchOnce } from "./fetch_once.ts";
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
  const folder = await fetchOnce(
    join(cacheFolder(), `nftables-${process.arch}`),
    (part) => fetchDebianPackages("nftables", part, { needed: true }),
  );
  const libraries = join(folder, "usr", "lib");
  const own = (await readdir(libraries)).filter((one) => one.includes("-linux-"));
  return {
    path: join(folder, "usr", "sbin", "nft"),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: own.map((one) => join(libraries, one)).join(":"),
    },
  };
}
