import { stringify } from "yaml";
import { adminSection } from "./admin.ts";
import { clusters } from "./clusters.ts";
import { partnerListener } from "./listener.ts";
import { overloadManager, runtime } from "./overload.ts";
import type { Section } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";
import { watchListener } from "./watch.ts";

const HEADING = `# Envoy in front of the Sabika service. Written by "npm run sidecar -- render":
# change the settings, not this file. Each choice is explained in docs/sidecar.md.
`;

/** Envoy's whole configuration for these settings, as YAML. The same settings give the same text. */
export function renderEnvoy(settings: SidecarSettings): string {
  const configuration: Section = {
    node: { id: "sabika-sidecar", cluster: "sabika-sidecar" },
    admin: adminSection(settings),
    layered_runtime: runtime(),
    overload_manager: overloadManager(settings.limits),
    static_resources: {
      listeners: [partnerListener(settings), watchListener(settings)],
      clusters: clusters(settings),
    },
  };
  // As YAML 1.1, which Envoy reads: there `off` and `no` without quotes are not text.
  return HEADING +
    stringify(configuration, { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false });
}
