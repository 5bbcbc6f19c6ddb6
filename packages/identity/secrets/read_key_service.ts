import type { Environment } from "@sabika/protocol";
import { type Env, readOptionalFile, SettingsError } from "@sabika/terms/settings";
import { stat } from "node:fs/promises";
import type { KmsSettings } from "./kms_client.ts";
import { readKmsSettings } from "./kms_settings.ts";
import { type MasterKeys, readMasterKeys } from "./master_keys.ts";

/** The settings of the keys that seal secrets. */
export interface KeyServiceSettings {
  /** Undefined with a key service that needs none. */
  readonly masterKeys?: MasterKeys;
  /** Reads them again after the operator rotated them (`sabika master-key rotate`). */
  readonly reloadMasterKeys?: () => Promise<MasterKeys>;
  /** AWS's key service, which keeps the keys in place of the master keys. */
  readonly kms?: KmsSettings;
}

/**
 * Reads where the keys are that seal secrets. With a key service, the named file of master keys may be gone: it
 * is taken away once nothing is sealed under them.
 *
 * @throws {SettingsError} when neither master keys nor a key service are named, or wrongly
 */
export async function readKeyService(
  env: Env,
  environment: Environment,
): Promise<KeyServiceSettings> {
  const kms = readKmsSettings(env, environment);
  const hasMasterKeys = env["SABIKA_MASTER_KEY"] || await isThere(env["SABIKA_MASTER_KEY_FILE"]);
  if (kms !== undefined && !hasMasterKeys) return { kms };
  return { kms, masterKeys: await readKeys(env), reloadMasterKeys: () => readKeys(env) };
}

async function isThere(path: string | undefined): Promise<boolean> {
  if (!path) return false;
  return await stat(path).then(() => true, (error: { code?: string }) => error.code !== "ENOENT");
}

async function readKeys(env: Env): Promise<MasterKeys> {
  const text = env["SABIKA_MASTER_KEY"] ?? await readOptionalFile(env, "SABIKA_MASTER_KEY_FILE");
  if (text === undefined || text.trim() === "") {
    throw new SettingsError(
      "SABIKA_MASTER_KEY or SABIKA_MASTER_KEY_FILE is missing: the key that encrypts stored secrets",
    );
  }
  try {
    return readMasterKeys(text);
  } catch (error) {
    throw new SettingsError(`the master key cannot be read: ${(error as Error).message}`);
  }
}
