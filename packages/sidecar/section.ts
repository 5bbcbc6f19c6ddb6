import { dirname } from "node:path";

/** A piece of Envoy's configuration: what YAML can hold, in the order in which it is written. */
export type Section = { [name: string]: Value };
export type Value = string | number | boolean | Section | readonly Value[];

/** A typed extension of Envoy: its name and its settings with their type. */
export function extension(name: string, type: string, settings: Section = {}): Section {
  return { name, typed_config: typed(type, settings) };
}

/**
 * An extension whose name and type are of one path, as most of Envoy's are.
 *
 * @param path e.g. `filters.http.router`
 * @param message the last part of its type, e.g. `Router`
 */
export function standard(path: string, message: string, settings: Section = {}): Section {
  return extension(`envoy.${path}`, `envoy.extensions.${path}.v3.${message}`, settings);
}

/** Settings with the type that Envoy reads them by. */
export function typed(type: string, settings: Section = {}): Section {
  return { "@type": `type.googleapis.com/${type}`, ...settings };
}

/** A span of time as Envoy writes it. */
export function seconds(amount: number): string {
  return `${amount}s`;
}

/** A header that replaces whatever came under its name. */
export function overwrite(key: string, value: string): Section {
  return { header: { key, value }, append_action: "OVERWRITE_IF_EXISTS_OR_ADD" };
}

/** How Envoy takes a part from a file, and again whenever another is renamed into its place. */
export function watchedFile(path: string): Section {
  return {
    resource_api_version: "V3",
    path_config_source: { path, watched_directory: { path: dirname(path) } },
  };
}
