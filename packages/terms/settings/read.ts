import { readFile } from "node:fs/promises";
import { SETTINGS } from "./table.ts";
import { type Env, SettingsError, type Value } from "./value.ts";

export type SettingName = keyof typeof SETTINGS;

/** The type of a setting's value, with undefined where the setting may be left out. */
export type SettingValue<NAME extends SettingName> = ReturnType<
  (typeof SETTINGS)[NAME]["value"]["read"]
>;

/** @throws {SettingsError} when the value does not have the form in the table */
export function readSetting<NAME extends SettingName>(env: Env, name: NAME): SettingValue<NAME> {
  return (SETTINGS[name].value as Value<SettingValue<NAME>>).read(name, env[name]);
}

/** @throws {SettingsError} when the setting is missing or does not have the form in the table */
export function requireSetting<NAME extends SettingName>(
  env: Env,
  name: NAME,
): NonNullable<SettingValue<NAME>> {
  const value = readSetting(env, name);
  if (value !== undefined && value !== null) return value;
  const { whenMissing = "is missing" }: Value<unknown> = SETTINGS[name].value;
  throw new SettingsError(`${name} ${whenMissing}`);
}

/** The text of the file that a setting names. @throws {SettingsError} when it cannot be read */
export async function requireFile(env: Env, name: SettingName): Promise<string> {
  const path = String(requireSetting(env, name));
  try {
    return await readFile(path, "utf8");
  } catch {
    throw new SettingsError(`${name}: ${path} cannot be read`);
  }
}

/** As `requireFile`, but undefined where the setting is left out. */
export async function readOptionalFile(env: Env, name: SettingName): Promise<string | undefined> {
  return env[name] ? await requireFile(env, name) : undefined;
}
