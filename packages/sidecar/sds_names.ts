import { join } from "node:path";
import { sidecarFolders } from "./folders.ts";
import { type Section, watchedFile } from "./section.ts";

/** The names of the secrets that Envoy reads by SDS (secret discovery service). */
export const SDS_NAMES = ["server_certificate", "partner_ca", "edge_secret"] as const;
/** The name of a secret. */
export type SdsName = (typeof SDS_NAMES)[number];

/** The path of the SDS file for a secret, which tells Envoy which files hold it. */
export function sdsFile(folder: string, name: SdsName): string {
  return join(sidecarFolders(folder).sds, `${name}.yaml`);
}

/** A reference to a secret in its SDS file; Envoy reads the file again whenever it is replaced. */
export function sdsReference(folder: string, name: SdsName): Section {
  return { name, sds_config: watchedFile(sdsFile(folder, name)) };
}
