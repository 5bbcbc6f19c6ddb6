import type { Environment } from "@sabika/protocol";
import { KeyServiceError } from "./key_service_error.ts";
import type { KmsSettings } from "./kms_client.ts";

/**
 * Reads which key service the environment names: AWS's (`SABIKA_KEY_SERVICE=aws-kms`), or undefined
 * for a file of master keys.
 *
 * @param env such as `process.env`
 * @throws {KeyServiceError} with one line when a variable is missing or wrong
 */
export function readKmsSettings(
  env: Readonly<Record<string, string | undefined>>,
  environment: Environment,
): KmsSettings | undefined {
  const named = env["SABIKA_KEY_SERVICE"] ?? "file";
  if (named === "file") return undefined;
  if (named !== "aws-kms") throw new KeyServiceError("SABIKA_KEY_SERVICE must be file or aws-kms");
  const required = (name: string) => {
    const value = env[name];
    if (!value) {
      throw new KeyServiceError(`${name} is missing: SABIKA_KEY_SERVICE=aws-kms needs it`);
    }
    return value;
  };
  const region = required("AWS_REGION");
  const endpoint = env["AWS_ENDPOINT_URL_KMS"] || `https://kms.${region}.amazonaws.com`;
  if (!URL.canParse(endpoint) || (environment === "production" && !/^https:/.test(endpoint))) {
    throw new KeyServiceError("AWS_ENDPOINT_URL_KMS must be https://host");
  }
  return {
    region,
    endpoint,
    accessKeyId: required("AWS_ACCESS_KEY_ID"),
    secretAccessKey: required("AWS_SECRET_ACCESS_KEY"),
    ...(env["AWS_SESSION_TOKEN"] ? { sessionToken: env["AWS_SESSION_TOKEN"] } : {}),
    aliasPrefix: env["SABIKA_KMS_ALIASES"] || `alias/sabika/${environment}/`,
  };
}
