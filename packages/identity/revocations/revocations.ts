import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KeyService } from "../secrets/key_service.ts";
import { type FileSigner, openSignedFile } from "./signed_file.ts";

/** What was revoked, as servers learn it while control is away (Decision D116). */
export interface Revocations {
  /** By control's clock where it was read there, epoch milliseconds. */
  readonly asOfMs: number;
  /** Who says so, for the log. */
  readonly by: string;
  /** SHA-256 of certificates, lower-case hex: revoked for good. */
  readonly certificates: readonly string[];
  /** Access tokens, by their `jti`. */
  readonly tokens: readonly string[];
  /** Client ids of partners that are suspended. */
  readonly suspended: readonly string[];
}

const TYPE = "sabika-revocations+jws";

/** The ending of the files in the folder that servers watch. */
export const REVOCATIONS_ENDING = ".jws";

/** Writes signed revocations into the folder; the file is replaced in one step, and anybody may read it. */
export async function writeRevocations(
  { folder, name, signer }: { folder: string; name: string; signer: FileSigner },
  revocations: Revocations,
): Promise<string> {
  const path = join(folder, name + REVOCATIONS_ENDING);
  const beside = `${path}.new`;
  try {
    const text = await signer.sign(TYPE, JSON.stringify(revocations));
    await writeFile(beside, text, { mode: 0o644, flush: true });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  return path;
}

/**
 * Reads signed revocations.
 *
 * @throws {Error} as `openSignedFile`
 */
export async function readRevocations(
  keys: Pick<KeyService, "open">,
  file: string,
): Promise<Revocations> {
  return JSON.parse(await openSignedFile(keys, TYPE, file)) as Revocations;
}
