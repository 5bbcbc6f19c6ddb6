import { stringify } from "yaml";
import { listenerSource, YAML_FOR_ENVOY } from "./discovery.ts";
import { envoyValues } from "./envoy_values.ts";
import { partnerListener } from "./listener.ts";
import { planChains } from "./partner_chains.ts";
import { PROFILES } from "./profiles.ts";
import type { RegisteredPartner } from "./registered_addresses.ts";
import type { Section } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";
import { fill } from "./template.ts";

const HEADING = `# change the settings, not this file. Each choice is explained in docs/sidecar.md.
`;

/**
 * Renders Envoy's configuration as YAML, without the parts that change while Envoy runs:
 * Envoy reads these from separate files. Equal settings give equal texts.
 */
export function renderEnvoy(settings: SidecarSettings): string {
  return text(settings, {
    ...fill("bootstrap", envoyValues(settings)),
    dynamic_resources: { lds_config: listenerSource(settings.folder) },
  });
}

/**
 * Like `renderEnvoy`, but in one file, with the partners' listener and its filter chains, as `--mode validate`
 * needs it: in that mode Envoy does not read its discovery files. For `partners` see `planChains`.
 */
export function renderWhole(
  settings: SidecarSettings,
  partners: readonly RegisteredPartner[] | undefined,
): string {
  const values = envoyValues(settings);
  const http: Section = {
    name: "envoy.filters.network.http_connection_manager",
    typed_config: fill("partners_http", values),
  };
  const listener = partnerListener(settings, planChains(partners, settings), http);
  const bootstrap = fill("bootstrap", values);
  const { listeners, ...others } = bootstrap["static_resources"] as Section;
  return text(settings, {
    ...bootstrap,
    static_resources: { listeners: [listener, ...listeners as Section[]], ...others },
  });
}

function text({ profile }: SidecarSettings, configuration: Section): string {
  return `# ${PROFILES[profile].heading}:\n${HEADING}` + stringify(configuration, YAML_FOR_ENVOY);
}
