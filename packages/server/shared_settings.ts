import { readDatabaseUrl } from "@sabika/database";
import { whyNotPrivate } from "@sabika/identity/keys";
import {
  type KmsSettings,
  type MasterKeys,
  readKmsSettings,
  readMasterKeys,
} from "@sabika/identity/secrets";
import { readCellUrls } from "@sabika/service/cells";
import {
  type Env,
  readOptionalFile,
  readSetting,
  requireFile,
  requireSetting,
  type Setting,
  type SettingReader,
  SETTINGS,
  SettingsError,
  whyUnknown,
} from "@sabika/terms/settings";
import type { Environment } from "@sabika/protocol";
import { stat } from "node:fs/promises";

/** The settings that server and office have in common. */
export interface SharedSettings extends KeyServiceSettings {
  readonly environment: Environment;
  /** The URL of control's database, with a login of the program's own role (Decision D48). */
  readonly databaseUrl: string;
  /** The database URLs of the other cells by their names (Decision D53); none by default. */
  readonly cellUrls?: ReadonlyMap<string, string> | undefined;
  /** How far a standby may be behind to be read (Decision D121); 0, the default, for not at all. */
  readonly standbyLagSeconds?: number;
  /** The folder of signed revocations (Decision D116); none by default. */
  readonly revocationsFolder?: string | undefined;
  /** Files with a secret that others than their owner can read, each in words; never in production. */
  readonly openSecretFiles?: readonly string[];
}

/**
 * Reads the shared settings from environment variables.
 *
 * @param reader the program, which names the files that it reads
 * @throws {SettingsError} when one is missing or wrong, or any variable has a name that nobody reads
 */
export async function readSharedSettings(env: Env, reader: SettingReader): Promise<SharedSettings> {
  const unknown = whyUnknown(env);
  if (unknown !== undefined) throw new SettingsError(unknown);
  const environment = requireSetting(env, "SABIKA_ENVIRONMENT");
  return {
    environment,
    databaseUrl: await readDatabaseUrlSetting(env),
    cellUrls: await readCellsSetting(env),
    standbyLagSeconds: readSetting(env, "SABIKA_STANDBY_LAG_SECONDS"),
    revocationsFolder: readSetting(env, "SABIKA_REVOCATIONS_FOLDER"),
    ...await readKeyService(env, environment),
    openSecretFiles: await findOpenSecretFiles(env, environment, reader),
  };
}

/** @throws {SettingsError} unless the URL of the database, or a file with it, is set and can be read */
async function readDatabaseUrlSetting(env: Env): Promise<string> {
  const [name, url] = env["SABIKA_DATABASE_URL_FILE"] === undefined
    ? ["SABIKA_DATABASE_URL", requireSetting(env, "SABIKA_DATABASE_URL")]
    : ["SABIKA_DATABASE_URL_FILE", (await requireFile(env, "SABIKA_DATABASE_URL_FILE")).trim()];
  try {
    readDatabaseUrl(url);
  } catch (error) {
    throw new SettingsError(`${name}: ${(error as Error).message}`);
  }
  return url;
}

/**
 * The URLs of the other cells by their names; undefined when no file is set.
 *
 * @throws {SettingsError} when the file cannot be read
 */
async function readCellsSetting(env: Env): Promise<ReadonlyMap<string, string> | undefined> {
  const text = await readOptionalFile(env, "SABIKA_CELLS_FILE");
  try {
    return text === undefined ? undefined : readCellUrls(text);
  } catch (error) {
    throw new SettingsError(`SABIKA_CELLS_FILE: ${(error as Error).message}`);
  }
}

/**
 * Which settings of a program name files with a secret that others can read, each in words.
 *
 * @throws {SettingsError} in production, for the first one
 */
async function findOpenSecretFiles(
  env: Env,
  environment: Environment,
  reader: SettingReader,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, { readBy, secret }] of Object.entries<Setting>(SETTINGS)) {
    const path = secret === "file" && readBy.includes(reader) ? env[name] : undefined;
    // A missing file is reported where it is read.
    const reason = path && await whyNotPrivate(path).catch(() => undefined);
    if (!reason) continue;
    if (environment === "production") throw new SettingsError(`${name}: ${reason}`);
    found.push(`${name}: ${reason}`);
  }
  return found;
}

/** The settings of the keys that seal secrets. */
interface KeyServiceSettings {
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
