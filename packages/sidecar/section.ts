import { dirname } from "node:path";

/** A section of Envoy's configuration. Members are written in this order. */
export type Section = { [name: string]: Value };
/** A value in Envoy's configuration. */
export type Value = string | number | boolean | Section | readonly Value[];

/** Adds `@type` to settings: the protobuf message that Envoy parses them as. */
export function typed(type: string, settings: Section = {}): Section {
  return { "@type": `type.googleapis.com/${type}`, ...settings };
}

/** Makes the section that sets a header and replaces any of that name. */
export function overwrite(key: string, value: string): Section {
  return { header: { key, value }, append_action: "OVERWRITE_IF_EXISTS_OR_ADD" };
}

/** Makes a source: a file that Envoy reads, and again whenever a new file is renamed over it. */
export function watchedFile(path: string): Section {
  return {
    resource_api_version: "V3",
    path_config_source: { path, watched_directory: { path: dirname(path) } },
  };
}
