import { join } from "node:path";
import type { SigningKey } from "@sabika/protocol";

/** The values of a kit, wherever they are kept; what is missing is read from its folder (Decision D119). */
export interface KitValues<Key extends SigningKey = CryptoKey> {
  /** The folder of a kit that has the other values. */
  folder?: string;
  /** As in `Kit`. */
  environment?: string;
  /** As in `Kit`. */
  baseUrl?: string;
  /** As in `Kit`. */
  clientId?: string;
  /** As in `Kit`. */
  clientSecret?: string;
  /** As in `Kit`. */
  webhookSecret?: string;
  /** As in `Kit`. */
  webhookUrl?: string;
  /** As in `Kit`. */
  settlementIban?: string;
  /** As in `Kit`; by default that of the signing key. */
  signingKeyId?: string;
  /** As in `Kit`. */
  caPem?: string;
  /** As in `Kit`. */
  certificatePem?: string;
  /** As in `Kit`; PKCS#8, also encrypted, or SEC 1. */
  privateKeyPem?: string;
  /** As in `Kit`. */
  privateKeyEngine?: string;
  /** As in `Kit`. */
  privateKeyIdentifier?: string;
  /** The key for signing requests: PEM like `privateKeyPem`, a P-256 key of Web Crypto, or a signer. */
  signingKey?: string | Key;
  /** The passphrase of the private keys that are encrypted. */
  passphrase?: string;
}

/** The name of a value that an environment variable can have. */
export type KitValueName = keyof typeof VARIABLES;

const VARIABLES = {
  folder: "SABIKA_KIT",
  environment: "SABIKA_KIT_ENVIRONMENT",
  baseUrl: "SABIKA_KIT_BASE_URL",
  clientId: "SABIKA_KIT_CLIENT_ID",
  clientSecret: "SABIKA_KIT_CLIENT_SECRET",
  webhookSecret: "SABIKA_KIT_WEBHOOK_SECRET",
  webhookUrl: "SABIKA_KIT_WEBHOOK_URL",
  settlementIban: "SABIKA_KIT_SETTLEMENT_IBAN",
  signingKeyId: "SABIKA_KIT_SIGNING_KEY_ID",
  caPem: "SABIKA_KIT_CA_CRT",
  certificatePem: "SABIKA_KIT_CLIENT_CRT",
  privateKeyPem: "SABIKA_KIT_CLIENT_KEY",
  signingKey: "SABIKA_KIT_SIGNING_KEY",
  passphrase: "SABIKA_KIT_PASSPHRASE",
} as const;

/**
 * Reads the environment variables of a kit, `SABIKA_KIT` and `SABIKA_KIT_…` (Decision D119). An empty variable is
 * none; in a PEM, `\n` written out is a line feed.
 *
 * @param env such as `process.env`
 * @example
 * ```ts
 * import { kitFromEnvironment, openKit } from "@sabika/client";
 *
 * const env = { SABIKA_KIT: ".sabika/partners/demo", SABIKA_KIT_CLIENT_SECRET: "sk_of_the_secret_manager" };
 * const kit = await openKit(kitFromEnvironment(env)); // openKit() takes process.env
 * console.log(kit.clientId);
 * ```
 */
export function kitFromEnvironment(env: Readonly<Record<string, string | undefined>>): KitValues {
  const values: KitValues = {};
  for (const [name, variable] of Object.entries(VARIABLES)) {
    const text = env[variable];
    if (!text) continue;
    values[name as KitValueName] = text.startsWith("-----BEGIN")
      ? text.replaceAll("\\n", "\n")
      : text;
  }
  return values;
}

/** Says where a value is or should be, for errors: its file, or the value and its variable. */
export function placeOf(values: KitValues<SigningKey>, name: KitValueName, file: string): string {
  const isInFile = values.folder !== undefined && values[name] === undefined;
  return isInFile ? join(values.folder!, file) : `${name} (${VARIABLES[name]})`;
}
