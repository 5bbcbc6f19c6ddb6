import { stringify } from "yaml";
import { addressSection } from "./addresses.ts";
import { sidecarFolders } from "./folders.ts";
import { replaceFile } from "./replace_file.ts";
import { type Section, typed } from "./section.ts";
import type { Instance } from "./settings.ts";

/** The list of instances as Envoy reads it (EDS). */
function renderInstances(instances: readonly Instance[], version: string): string {
  const resource = typed("envoy.config.endpoint.v3.ClusterLoadAssignment", {
    cluster_name: "service",
    endpoints: [{ lb_endpoints: instances.map(endpoint) }],
  });
  return stringify({ version_info: version, resources: [resource] }, { lineWidth: 0 });
}

/**
 * Replaces the list of instances of the sidecar in `folder`. An instance that is no longer on the
 * list gets no new requests; those in flight on it are finished.
 *
 * @param version any text that differs from the previous version, e.g. a time
 */
export async function writeInstances(
  folder: string,
  instances: readonly Instance[],
  version: string,
): Promise<void> {
  await replaceFile(sidecarFolders(folder).instances, renderInstances(instances, version));
}

function endpoint({ address, watch }: Instance): Section {
  const place: Section = { address: addressSection(address) };
  if (watch !== undefined) place.health_check_config = { address: addressSection(watch) };
  return { endpoint: place };
}
