import { join } from "node:path";
import { sidecarFolders } from "./folders.ts";
import { type Section, watchedFile } from "./section.ts";

/** The secrets that Envoy is given by SDS, and by which names. */
export const SDS_NAMES = ["server_certificate", "partner_ca", "edge_secret"] as const;
export type SdsName = (typeof SDS_NAMES)[number];

/** The file that tells Envoy where a secret lies. */
export function sdsFile(folder: string, name: SdsName): string {
  return join(sidecarFolders(folder).sds, `${name}.yaml`);
}

/** How Envoy is told to take a secret from its file, and again whenever the file is replaced. */
export function sdsReference(folder: string, name: SdsName): Section {
  return { name, sds_config: watchedFile(sdsFile(folder, name)) };
}
