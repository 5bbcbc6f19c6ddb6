import { stringify } from "yaml";
import { adminSection } from "./admin.ts";
import { clusters } from "./clusters.ts";
import { listenerSource, YAML_FOR_ENVOY } from "./discovery.ts";
import { partnerHttp } from "./http.ts";
import { partnerListener } from "./listener.ts";
import { overloadManager, runtime } from "./overload.ts";
import { planChains } from "./partner_chains.ts";
import type { RegisteredPartner } from "./registered_addresses.ts";
import type { Section } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";
import { watchListener } from "./watch.ts";

const HEADING = `# Envoy in front of the Sabika service. Written by "npm run sidecar -- render":
# change the settings, not this file. Each choice is explained in docs/sidecar.md.
`;

/**
 * Envoy's configuration for these settings, as YAML, but for what it reads from files of their own
 * because it changes while Envoy runs. The same settings give the same text.
 */
export function renderEnvoy(settings: SidecarSettings): string {
  return text({
    ...bootstrap(settings),
    dynamic_resources: { lds_config: listenerSource(settings.folder) },
    static_resources: {
      listeners: [watchListener(settings)],
      clusters: clusters(settings),
    },
  });
}

/**
 * Like `renderEnvoy`, but in one file, with the partners' listener and its filter chains, as `--mode validate`
 * wants it: there Envoy does not read what it would discover.
 */
export function renderWhole(
  settings: SidecarSettings,
  partners: readonly RegisteredPartner[] | undefined,
): string {
  const plan = planChains(partners, settings);
  const listener = partnerListener(settings, plan, partnerHttp(settings));
  return text({
    ...bootstrap(settings),
    static_resources: {
      listeners: [listener, watchListener(settings)],
      clusters: clusters(settings),
    },
  });
}

function bootstrap(settings: SidecarSettings): Section {
  return {
    node: { id: "sabika-sidecar", cluster: "sabika-sidecar" },
    admin: adminSection(settings),
    layered_runtime: runtime(),
    overload_manager: overloadManager(settings.limits),
  };
}

function text(configuration: Section): string {
  return HEADING + stringify(configuration, YAML_FOR_ENVOY);
}
