import { readFile } from "node:fs/promises";
import {
  type KmsSettings,
  type MasterKeys,
  readKmsSettings,
  readMasterKeys,
  whyNotPrivate,
} from "@sabika/core/partners";
import { readCellUrls, readDatabaseUrl } from "@sabika/core/store";
import type { Environment } from "@sabika/protocol";
import type { Address } from "./listeners/address.ts";

/** Environment variables, such as `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The settings are wrong; the message is one line and says what to do. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/** @throws {SettingsError} unless the environment is named */
export function readEnvironmentSetting(env: Env): Environment {
  const environment = env["SABIKA_ENVIRONMENT"];
  if (environment === "sandbox" || environment === "production") return environment;
  throw new SettingsError("SABIKA_ENVIRONMENT must be sandbox or production");
}

/** @throws {SettingsError} unless the database is named, by a URL that can be read or a file with it */
export async function readDatabaseUrlSetting(env: Env): Promise<string> {
  const [name, url] = env["SABIKA_DATABASE_URL_FILE"] === undefined
    ? ["SABIKA_DATABASE_URL", required(env, "SABIKA_DATABASE_URL")]
    : ["SABIKA_DATABASE_URL_FILE", (await requiredFile(env, "SABIKA_DATABASE_URL_FILE")).trim()];
  try {
    readDatabaseUrl(url);
  } catch (error) {
    throw new SettingsError(`${name}: ${(error as Error).message}`);
  }
  return url;
}

/**
 * Where the cells beside control are, by their names; undefined when no file says so.
 *
 * @throws {SettingsError} when the file cannot be read
 */
export async function readCellsSetting(
  env: Env,
): Promise<ReadonlyMap<string, string> | undefined> {
  const text = await optionalFile(env, "SABIKA_CELLS_FILE");
  try {
    return text === undefined ? undefined : readCellUrls(text);
  } catch (error) {
    throw new SettingsError(`SABIKA_CELLS_FILE: ${(error as Error).message}`);
  }
}

/** Reads `unix:/path`, `host:port` or `[::1]:port`. */
export function readAddress(name: string, text: string): Address {
  if (text.startsWith("unix:/")) return { path: text.slice("unix:".length) };
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([A-Za-z0-9.-]+)):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new SettingsError(`${name} must be unix:/path or host:port`);
  }
  return { host: match[1] ?? match[2]!, port };
}

/**
 * Which of these settings name files with a secret that others can read, each in words.
 *
 * @throws {SettingsError} in production, for the first one
 */
export async function findOpenSecretFiles(
  env: Env,
  environment: Environment,
  names: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of names) {
    const path = env[name];
    // One that is missing is reported by whoever reads it.
    const reason = path && await whyNotPrivate(path).catch(() => undefined);
    if (!reason) continue;
    if (environment === "production") throw new SettingsError(`${name}: ${reason}`);
    found.push(`${name}: ${reason}`);
  }
  return found;
}

/** What keeps the keys that seal secrets. */
export interface KeyServiceSettings {
  /** Undefined with a key service that needs none. */
  readonly masterKeys?: MasterKeys;
  /** Reads them again after the operator rotated them (`sabika master-key rotate`). */
  readonly reloadMasterKeys?: () => Promise<MasterKeys>;
  /** AWS's key service, which keeps the keys in place of the master keys. */
  readonly kms?: KmsSettings;
}

/** @throws {SettingsError} when neither master keys nor a key service are named, or wrongly */
export async function readKeyService(
  env: Env,
  environment: Environment,
): Promise<KeyServiceSettings> {
  let kms: KmsSettings | undefined;
  try {
    kms = readKmsSettings(env, environment);
  } catch (error) {
    throw new SettingsError((error as Error).message);
  }
  const isFile = env["SABIKA_MASTER_KEY"] ?? env["SABIKA_MASTER_KEY_FILE"];
  if (kms !== undefined && !isFile) return { kms };
  return { kms, masterKeys: await readKeys(env), reloadMasterKeys: () => readKeys(env) };
}

async function readKeys(env: Env): Promise<MasterKeys> {
  const text = env["SABIKA_MASTER_KEY"] ?? await optionalFile(env, "SABIKA_MASTER_KEY_FILE");
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

/** @throws {SettingsError} when it is missing */
export function required(env: Env, name: string): string {
  const value = env[name];
  if (value === undefined || value === "") throw new SettingsError(`${name} is missing`);
  return value;
}

/** @throws {SettingsError} when it is another text, or too small a number */
export function wholeNumber(env: Env, name: string, least = 0): number | undefined {
  const value = env[name];
  if (value === undefined || value === "") return undefined;
  if (!/^(?:0|[1-9][0-9]{0,8})$/.test(value)) {
    throw new SettingsError(`${name} must be a whole number`);
  }
  if (Number(value) < least) throw new SettingsError(`${name} must be ${least} or more`);
  return Number(value);
}

/** @throws {SettingsError} when it is neither */
export function flag(env: Env, name: string): boolean {
  const value = env[name] ?? "";
  if (!["", "0", "1", "false", "true"].includes(value)) {
    throw new SettingsError(`${name} must be true or false`);
  }
  return value === "1" || value === "true";
}

/** The text of the file that it names. @throws {SettingsError} when there is none */
export async function requiredFile(env: Env, name: string): Promise<string> {
  const path = required(env, name);
  try {
    return await readFile(path, "utf8");
  } catch {
    throw new SettingsError(`${name}: ${path} cannot be read`);
  }
}

/** The same for one that may be left out. */
export async function optionalFile(env: Env, name: string): Promise<string | undefined> {
  return env[name] ? await requiredFile(env, name) : undefined;
}
