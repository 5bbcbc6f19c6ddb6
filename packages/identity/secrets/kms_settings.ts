import type { Environment } from "@sabika/protocol";
import { type Env, readSetting, type SettingName, SettingsError } from "@sabika/terms/settings";
import type { KmsSettings } from "./kms_client.ts";

/**
 * Reads which key service the environment names: AWS's (`SABIKA_KEY_SERVICE=aws-kms`), or undefined
 * for a file of master keys.
 *
 * @param env such as `process.env`
 * @throws {SettingsError} with one line when a variable is missing or wrong
 */
export function readKmsSettings(env: Env, environment: Environment): KmsSettings | undefined {
  if (readSetting(env, "SABIKA_KEY_SERVICE") === "file") return undefined;
  const required = (name: SettingName) => {
    const value = env[name];
    if (!value) {
      throw new SettingsError(`${name} is missing: SABIKA_KEY_SERVICE=aws-kms needs it`);
    }
    return value;
  };
  const region = required("AWS_REGION");
  const endpoint = readSetting(env, "AWS_ENDPOINT_URL_KMS") ??
    `https://kms.${region}.amazonaws.com`;
  if (!URL.canParse(endpoint) || (environment === "production" && !/^https:/.test(endpoint))) {
    throw new SettingsError("AWS_ENDPOINT_URL_KMS must be https://host");
  }
  const sessionToken = readSetting(env, "AWS_SESSION_TOKEN");
  return {
    region,
    endpoint,
    accessKeyId: required("AWS_ACCESS_KEY_ID"),
    secretAccessKey: required("AWS_SECRET_ACCESS_KEY"),
    ...(sessionToken === undefined ? {} : { sessionToken }),
    aliasPrefix: readSetting(env, "SABIKA_KMS_ALIASES") ?? `alias/sabika/${environment}/`,
  };
}
