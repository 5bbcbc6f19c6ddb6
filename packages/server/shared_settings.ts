import { readDatabaseUrl } from "@sabika/database";
import { whyNotPrivate } from "@sabika/identity/keys";
import { type KeyServiceSettings, readKeyService } from "@sabika/identity/secrets";
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
