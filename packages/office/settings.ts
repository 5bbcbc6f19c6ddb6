import { isPrivateLink, readDatabaseUrl } from "@sabika/database";
import { isLoopbackHost } from "@sabika/network";
import {
  type Address,
  type Env,
  readOptionalFile,
  readSetting,
  requireSetting,
  SettingsError,
} from "@sabika/terms/settings";
import type { Environment } from "@sabika/protocol";
import { readSharedSettings, type SharedSettings } from "@sabika/server";
import { type IsTrusted, readTrustedProxies } from "./caller_address.ts";
import { type NotificationSettings, readNotificationSettings } from "./notifications/settings.ts";
import type { SingleSignOnSettings } from "./single_sign_on.ts";

/** All settings of the office. */
export interface OfficeSettings extends SharedSettings, NotificationSettings {
  readonly listen: Address;
  /** `https://office.example`, to which the passkeys are bound. */
  readonly origin: string;
  /** The address that partners call, for their kits; undefined: no kit can be encrypted. */
  readonly baseUrl?: string | undefined;
  /** Undefined where a proxy on the same machine ends TLS. */
  readonly tls: { readonly certificatePem: string; readonly keyPem: string } | undefined;
  /** The proxies in front of it; undefined without any. */
  readonly isTrusted?: IsTrusted | undefined;
  /** Undefined where passkeys are the only way to sign in. */
  readonly singleSignOn?: SingleSignOnSettings | undefined;
}

/**
 * Reads the settings of the office out of environment variables, and the files that they name.
 *
 * @throws {SettingsError} when one is missing, wrong or unknown
 */
export async function readOfficeSettings(env: Env): Promise<OfficeSettings> {
  const shared = await readSharedSettings(env, "office");
  const { environment, databaseUrl, cellUrls } = shared;
  const tls = await readTls(env);
  const databases = [databaseUrl, ...cellUrls?.values() ?? []].map(readDatabaseUrl);
  if (environment === "production" && !databases.every(isPrivateLink)) {
    throw new SettingsError("production reaches its databases over TLS with sslmode=verify-full");
  }
  return {
    ...shared,
    listen: checkListen(
      requireSetting(env, "SABIKA_ADMIN_LISTEN"),
      mayListenRemotely(env, environment) || tls !== undefined,
    ),
    origin: readOrigin(requireSetting(env, "SABIKA_ADMIN_ORIGIN"), environment),
    baseUrl: readSetting(env, "SABIKA_BASE_URL"),
    tls,
    isTrusted: readProxies(env),
    singleSignOn: await readSingleSignOn(env, environment),
    ...await readNotificationSettings(env, environment),
  };
}

/** Whether it may listen on a network without TLS, as in a sandbox's container on its users' machine. */
function mayListenRemotely(env: Env, environment: Environment): boolean {
  const isAllowed = readSetting(env, "SABIKA_ADMIN_ALLOW_REMOTE") === "true";
  if (!isAllowed || environment === "sandbox") return isAllowed;
  throw new SettingsError("SABIKA_ADMIN_ALLOW_REMOTE must be false, or in a sandbox true");
}

/** Refuses to listen on a network where requests would arrive unencrypted. */
function checkListen(address: Address, isAnyAllowed: boolean): Address {
  if ("path" in address || isAnyAllowed || isLoopbackHost(address.host)) return address;
  throw new SettingsError(
    `SABIKA_ADMIN_LISTEN must be unix:/path or a loopback port, not ${address.host}, unless ` +
      "SABIKA_ADMIN_TLS_CERTIFICATE_FILE and SABIKA_ADMIN_TLS_KEY_FILE are given",
  );
}

/** Passkeys are bound to a host name, and browsers offer them to pages of https or localhost only. */
function readOrigin(text: string, environment: Environment): string {
  const match = /^(https?):\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::[0-9]{1,5})?$/.exec(text);
  const host = match?.[2] ?? "";
  const isOfThisMachine = match?.[1] === "http" && environment === "sandbox" &&
    host === "localhost";
  const isByHttps = match?.[1] === "https" && !/^[0-9.]+$/.test(host);
  if (isByHttps || isOfThisMachine) return text;
  throw new SettingsError(
    "SABIKA_ADMIN_ORIGIN must be https://name[:port], in lower case and without a slash at its end; " +
      "in a sandbox http://localhost:port will do",
  );
}

function readProxies(env: Env): IsTrusted | undefined {
  const text = env["SABIKA_ADMIN_TRUSTED_PROXIES"];
  const isTrusted = text === undefined ? undefined : readTrustedProxies(text);
  if (text === undefined || isTrusted !== undefined) return isTrusted;
  throw new SettingsError(
    "SABIKA_ADMIN_TRUSTED_PROXIES must be addresses or CIDR ranges with commas between, or unix",
  );
}

async function readTls(env: Env): Promise<OfficeSettings["tls"]> {
  const certificatePem = await readOptionalFile(env, "SABIKA_ADMIN_TLS_CERTIFICATE_FILE");
  const keyPem = await readOptionalFile(env, "SABIKA_ADMIN_TLS_KEY_FILE");
  if (certificatePem === undefined && keyPem === undefined) return undefined;
  if (certificatePem !== undefined && keyPem !== undefined) return { certificatePem, keyPem };
  throw new SettingsError(
    "SABIKA_ADMIN_TLS_CERTIFICATE_FILE and SABIKA_ADMIN_TLS_KEY_FILE are given together",
  );
}

/** The company's OpenID provider: all three settings, or none (Decision D84). */
async function readSingleSignOn(
  env: Env,
  environment: Environment,
): Promise<SingleSignOnSettings | undefined> {
  const issuer = env["SABIKA_ADMIN_OIDC_ISSUER"];
  const clientId = env["SABIKA_ADMIN_OIDC_CLIENT_ID"];
  const clientSecret = await readOptionalFile(env, "SABIKA_ADMIN_OIDC_CLIENT_SECRET_FILE");
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) {
    return undefined;
  }
  if (!issuer || !clientId || !clientSecret?.trim()) {
    throw new SettingsError(
      "SABIKA_ADMIN_OIDC_ISSUER, SABIKA_ADMIN_OIDC_CLIENT_ID and " +
        "SABIKA_ADMIN_OIDC_CLIENT_SECRET_FILE are given together",
    );
  }
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isOfThisMachine = url?.protocol === "http:" && environment === "sandbox" &&
    isLoopbackHost(url.hostname);
  if (url?.search === "" && url.hash === "" && (url.protocol === "https:" || isOfThisMachine)) {
    return { issuer, clientId, clientSecret: clientSecret.trim() };
  }
  throw new SettingsError(
    "SABIKA_ADMIN_OIDC_ISSUER must be https://… without a query, as the provider's ID tokens " +
      "have it; in a sandbox http on this machine will do",
  );
}
