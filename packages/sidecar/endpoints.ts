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
 * Tells the sidecar in `folder` which instances there are from now on. An instance that is not
 * on the list any more gets no new request; what it has is finished.
 *
 * @param version any text that differs from the last one's, e.g. a time
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
