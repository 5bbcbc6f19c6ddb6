import { stringify } from "yaml";
import { envoyValues } from "./envoy_values.ts";
import { sidecarFolders } from "./folders.ts";
import { partnerListener } from "./listener.ts";
import { planChains } from "./partner_chains.ts";
import type { RegisteredPartner } from "./registered_addresses.ts";
import { replaceFile } from "./replace_file.ts";
import { type Section, typed, watchedFile } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";
import { fill } from "./template.ts";

/** What the filter chains call the HTTP that they share. */
const PARTNER_HTTP = "partners-http";

/**
 * Writes the partners' listener for Envoy (LDS). A running Envoy takes it over: connections of
 * chains that are as they were stay, those of a chain that changed are let go one by one.
 *
 * @param version any text that differs from the last one's, e.g. a time
 */
export async function writeListener(
  settings: SidecarSettings,
  partners: readonly RegisteredPartner[] | undefined,
  version: string,
): Promise<void> {
  const { http, listener } = sidecarFolders(settings.folder);
  const shared = {
    name: PARTNER_HTTP,
    config_discovery: {
      config_source: watchedFile(http),
      type_urls: [fill("partners_http", envoyValues(settings))["@type"]!],
    },
  };
  const section = partnerListener(settings, planChains(partners, settings), shared);
  const resource = typed("envoy.config.listener.v3.Listener", section);
  // JSON: Envoy reads hundreds of chains from it ten times as fast as from YAML.
  await replaceFile(listener, JSON.stringify({ version_info: version, resources: [resource] }));
}

/** Writes what all chains do with HTTP (ECDS): once, however many chains there are. */
export async function writeHttp(settings: SidecarSettings, version: string): Promise<void> {
  const { http } = sidecarFolders(settings.folder);
  const resource = typed("envoy.config.core.v3.TypedExtensionConfig", {
    name: PARTNER_HTTP,
    typed_config: fill("partners_http", envoyValues(settings)),
  });
  const list = { version_info: version, resources: [resource] };
  await replaceFile(http, stringify(list, YAML_FOR_ENVOY));
}

/** How Envoy finds the partners' listener, and notices a new one. */
export function listenerSource(folder: string): Section {
  return watchedFile(sidecarFolders(folder).listener);
}

/** As YAML 1.1, which Envoy reads: there `off` and `no` without quotes are not text. */
export const YAML_FOR_ENVOY = {
  version: "1.1",
  lineWidth: 0,
  aliasDuplicateObjects: false,
} as const;
