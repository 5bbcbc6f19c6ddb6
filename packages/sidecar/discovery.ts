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

/** The name of the HTTP filter that all filter chains share. */
const PARTNER_HTTP = "partners-http";

/**
 * Writes the partners' listener for Envoy (LDS). A running Envoy loads it: connections of
 * unchanged filter chains stay, those of changed chains are drained. For `partners` see `planChains`.
 *
 * @param version any text that differs from the previous version, e.g. a time
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

/** Writes the HTTP filter that all filter chains share (ECDS); `version` as for `writeListener`. */
export async function writeHttp(settings: SidecarSettings, version: string): Promise<void> {
  const { http } = sidecarFolders(settings.folder);
  const resource = typed("envoy.config.core.v3.TypedExtensionConfig", {
    name: PARTNER_HTTP,
    typed_config: fill("partners_http", envoyValues(settings)),
  });
  const list = { version_info: version, resources: [resource] };
  await replaceFile(http, stringify(list, YAML_FOR_ENVOY));
}

/** Returns the source of the partners' listener: a file that Envoy reads again whenever it is replaced. */
export function listenerSource(folder: string): Section {
  return watchedFile(sidecarFolders(folder).listener);
}

/** YAML's options for Envoy, which reads version 1.1: `off` and `no` without quotes are booleans there. */
export const YAML_FOR_ENVOY = {
  version: "1.1",
  lineWidth: 0,
  aliasDuplicateObjects: false,
} as const;
