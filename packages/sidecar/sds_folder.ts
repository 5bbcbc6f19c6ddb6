import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { YAML_FOR_ENVOY } from "./discovery.ts";
import { sidecarFolders } from "./folders.ts";
import { replaceFile } from "./replace_file.ts";
import { SDS_NAMES, sdsFile, type SdsName } from "./sds_names.ts";
import { readSet, type SecretSet, SET_FILES } from "./secret_set.ts";
import { type Section, typed } from "./section.ts";

/** How many sets are kept: the one in use and two earlier ones. */
const KEPT_SETS = 3;

/** A set's version: epoch milliseconds, with `-1`, `-2` … for further sets of one millisecond. */
export type SetVersion = string;

/**
 * Writes a set to a new folder, without handing it to Envoy yet.
 *
 * Envoy notices only a renamed SDS file; files that change inside a folder it watches are not
 * read reliably. So a folder's content never changes once it is there.
 *
 * @returns the version, for `pointTo`
 */
export async function storeSet(folder: string, set: SecretSet, nowMs: number): Promise<SetVersion> {
  const { sets } = sidecarFolders(folder);
  await mkdir(sets, { recursive: true, mode: 0o700 });
  const taken = new Set(await readdir(sets));
  let version = String(nowMs).padStart(13, "0");
  for (let n = 1; taken.has(version); n++) version = `${nowMs}-${n}`;
  const part = join(sets, `.${version}.part`);
  await mkdir(part, { mode: 0o700 });
  for (const name of Object.keys(SET_FILES) as (keyof SecretSet)[]) {
    // No line end after the secret: Envoy would take it for a part of the header.
    const text = name === "edgeSecret" ? set[name] : set[name].trimEnd() + "\n";
    await writeFile(join(part, SET_FILES[name]), text, { mode: 0o600 });
  }
  await rename(part, join(sets, version));
  return version;
}

/** Hands a stored set to Envoy by replacing the small file of each secret. */
export async function pointTo(folder: string, version: SetVersion): Promise<void> {
  await mkdir(sidecarFolders(folder).sds, { recursive: true, mode: 0o700 });
  for (const name of SDS_NAMES) {
    await replaceFile(sdsFile(folder, name), renderSecret(folder, name, version), 0o600);
  }
}

/** Reads the version of the set that Envoy is pointed to; undefined before the first set. */
export async function currentVersion(folder: string): Promise<SetVersion | undefined> {
  const text = await readFile(sdsFile(folder, SDS_NAMES[0]), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  return String((parse(text) as { version_info: unknown }).version_info);
}

/** Reads the set that Envoy is pointed to. @throws Error when there is none yet */
export async function currentSet(folder: string): Promise<SecretSet> {
  const version = await currentVersion(folder);
  if (version === undefined) throw new Error("there is no set of secrets here yet");
  return await readSet(join(sidecarFolders(folder).sets, version));
}

/** Removes the oldest sets; never the one in use, and none that is newer. */
export async function removeOldSets(folder: string): Promise<void> {
  const { sets } = sidecarFolders(folder);
  const current = await currentVersion(folder);
  const versions = (await readdir(sets)).filter((name) => !name.startsWith(".")).sort();
  const older = versions.slice(0, Math.max(0, versions.indexOf(current ?? "")));
  for (const version of older.slice(0, Math.max(0, older.length - (KEPT_SETS - 1)))) {
    await rm(join(sets, version), { recursive: true });
  }
}

function renderSecret(folder: string, name: SdsName, version: SetVersion): string {
  const file = (part: keyof SecretSet): Section => ({
    filename: join(sidecarFolders(folder).sets, version, SET_FILES[part]),
  });
  const secrets: Record<SdsName, Section> = {
    server_certificate: {
      tls_certificate: {
        certificate_chain: file("serverCertificate"),
        private_key: file("serverKey"),
      },
    },
    partner_ca: {
      validation_context: {
        trusted_ca: file("partnerCa"),
        crl: file("partnerCrl"),
        max_verify_depth: 3,
      },
    },
    edge_secret: { generic_secret: { secret: file("edgeSecret") } },
  };
  const resource = typed("envoy.extensions.transport_sockets.tls.v3.Secret", {
    name,
    ...secrets[name],
  });
  return stringify({ version_info: version, resources: [resource] }, YAML_FOR_ENVOY);
}
