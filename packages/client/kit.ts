import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { SigningKey } from "@sabika/protocol";
import { KitError } from "./kit_error.ts";
import { kitFromEnvironment, type KitValueName, type KitValues, placeOf } from "./kit_values.ts";
import { importSigningKey, readKeyOfCertificate } from "./private_key.ts";

/**
 * A partner's credentials and addresses (Decision D43), read and checked. `console.log` and `JSON.stringify`
 * do not show its private keys and secrets.
 */
export interface Kit<Key extends SigningKey = CryptoKey> {
  /** The folder of the kit; empty if it was not opened from one. */
  folder: string;
  /** The environment to which the kit belongs. */
  environment: "sandbox" | "production";
  /** The base URL of the API, without a trailing slash. */
  baseUrl: string;
  /** The partner's client id. */
  clientId: string;
  /** The client secret; empty if the certificate alone authenticates the client (`tls_client_auth`). */
  clientSecret: string;
  /** The secret for verifying webhooks; null if there is none. */
  webhookSecret: string | null;
  /** The URL of the partner's webhook endpoint; null if there is none. */
  webhookUrl: string | null;
  /** The IBAN to which withdrawals are paid; null if the kit does not have it. */
  settlementIban: string | null;
  /** The RFC 7638 thumbprint of the signing key. */
  signingKeyId: string;
  /** The certificate, in PEM, of the authority that issues the server's certificate. */
  caPem: string;
  /** The partner's certificate, in PEM. */
  certificatePem: string;
  /** The private key of that certificate, in PEM; empty if an engine holds it. */
  privateKeyPem: string;
  /** As in `TransportKeys`, such as libp11's: `pkcs11`, or the path of its `pkcs11.so`. */
  privateKeyEngine?: string;
  /** The key's name in that engine, such as a `pkcs11:` URI (RFC 7512). */
  privateKeyIdentifier?: string;
  /** The ES256 key for signing requests, which is not extractable, or a signer. */
  signingKey: Key;
  /** In the sandbox: certificate and key of an HTTPS webhook receiver on localhost, in PEM; else null. */
  receiver: { certificatePem: string; privateKeyPem: string } | null;
}

/**
 * Opens a partner kit (Decision D119).
 *
 * @param source the folder with `partner.json`, `ca.crt`, `client.crt`, `client.key`, `signing.key`, or the kit's
 * values; by default what the environment variables `SABIKA_KIT` and `SABIKA_KIT_…` say
 * @throws {KitError} naming the file or value and the remedy; contents are never part of a message
 * @example
 * ```ts
 * import { KitError, openKit } from "@sabika/client";
 *
 * const kit = await openKit(".sabika/partners/demo");
 * console.log(kit.clientId, kit.environment);
 * await openKit("nowhere").catch((error) => {
 *   if (error instanceof KitError) console.log(error.file, error.message);
 * });
 * await openKit({ folder: kit.folder, signingKey: kit.signingKey, clientSecret: "sk_of_the_secret_manager" });
 * ```
 */
export async function openKit<Key extends SigningKey = CryptoKey>(
  source: string | KitValues<Key> = kitFromEnvironment(process.env) as KitValues<Key>,
): Promise<Kit<Key>> {
  const values = typeof source === "string" ? { folder: source } as KitValues<Key> : source;
  const partner = await readPartner(values);
  const [caPem, certificatePem] = await Promise.all([
    readPem(values, "caPem", "ca.crt", "the operator gives it with the kit"),
    readPem(values, "certificatePem", "client.crt", "the operator returns it for your CSR"),
  ]);
  const { folder = "", privateKeyEngine, privateKeyIdentifier } = values;
  const kit: Kit<Key> = {
    folder,
    ...partner,
    ...await readSigningKey(values, partner.signingKeyId),
    caPem,
    certificatePem,
    privateKeyPem: privateKeyEngine === undefined
      ? await readClientKey(values, certificatePem)
      : "",
    ...privateKeyEngine !== undefined && { privateKeyEngine, privateKeyIdentifier },
    receiver: values.folder === undefined ? null : await readReceiver(values.folder),
  };
  return hideSecrets(kit);
}

async function readClientKey(values: KitValues<SigningKey>, certificatePem: string) {
  const remedy = "the key that you made your CSR with belongs here";
  const pem = await readPem(values, "privateKeyPem", "client.key", remedy);
  const place = placeOf(values, "privateKeyPem", "client.key");
  return readKeyOfCertificate({ place, pem, passphrase: values.passphrase }, certificatePem);
}

/** Reads the signing key, or takes the one that was given; `keyId` is what the kit names, if it names one. */
async function readSigningKey<Key extends SigningKey>(
  values: KitValues<Key>,
  keyId: string | null,
): Promise<{ signingKey: Key; signingKeyId: string }> {
  const place = placeOf(values, "signingKey", "signing.key");
  const given = values.signingKey;
  let found: { signingKey: Key; signingKeyId: string | null };
  if (typeof given === "object") {
    found = { signingKey: given, signingKeyId: "sign" in given ? given.keyId : keyId };
  } else {
    const remedy = "the key that you registered for signing belongs here";
    const pem = await readPem(values, "signingKey", "signing.key", remedy);
    const imported = await importSigningKey({ place, pem, passphrase: values.passphrase });
    found = { signingKey: imported.signingKey as Key, signingKeyId: imported.signingKeyId };
  }
  const { signingKey, signingKeyId } = found;
  if (signingKeyId === null) throw new KitError(place, "its signingKeyId is needed with it");
  if (keyId === null || keyId === signingKeyId) return { signingKey, signingKeyId };
  throw new KitError(
    place,
    'it is not the key that "signing_key_id" names; put the registered key here',
  );
}

/** The members of `partner.json`; without a key id it is computed from the signing key. */
interface PartnerMembers
  extends
    Pick<Kit, "environment" | "baseUrl" | "clientId" | "clientSecret">,
    Pick<Kit, "webhookSecret" | "webhookUrl" | "settlementIban"> {
  signingKeyId: string | null;
}

async function readPartner(values: KitValues<SigningKey>): Promise<PartnerMembers> {
  const members = values.folder === undefined ? {} : await readJson(values.folder);
  const optional = (name: KitValueName, member: string): string | null => {
    const value = values[name] ?? members[member];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const required = (name: KitValueName, member: string): [text: string, place: string] => {
    const [text, place] = [optional(name, member), placeOf(values, name, "partner.json")];
    if (text !== null) return [text, place];
    throw new KitError(place, `"${member}" is missing or not a text; take it from the kit again`);
  };
  const [environment, place] = required("environment", "environment");
  if (environment !== "sandbox" && environment !== "production") {
    throw new KitError(place, '"environment" must be sandbox or production');
  }
  return {
    environment,
    baseUrl: checkBaseUrl(...required("baseUrl", "base_url")),
    clientId: required("clientId", "client_id")[0],
    clientSecret: optional("clientSecret", "client_secret") ?? "",
    webhookSecret: optional("webhookSecret", "webhook_secret"),
    webhookUrl: optional("webhookUrl", "webhook_url"),
    settlementIban: optional("settlementIban", "settlement_iban"),
    signingKeyId: optional("signingKeyId", "signing_key_id"),
  };
}

async function readJson(folder: string): Promise<Record<string, unknown>> {
  const file = join(folder, "partner.json");
  const text = await readText(file, "is this the folder of a partner kit?");
  let members: Record<string, unknown>;
  try {
    members = JSON.parse(text);
  } catch {
    throw new KitError(file, "it is not JSON; take it from the kit again");
  }
  if (typeof members === "object" && members !== null && !Array.isArray(members)) return members;
  throw new KitError(file, "it is not a JSON object; take it from the kit again");
}

/** Checks the base URL, which is never rewritten because signatures contain it (Decision D20). */
function checkBaseUrl(text: string, place: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" || url.search !== "" || url.hash !== "" || text.endsWith("/")) {
    throw new KitError(
      place,
      '"base_url" must be an https address without query or final slash',
    );
  }
  return text;
}

async function readText(file: string, remedy: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new KitError(file, `it is missing; ${remedy}`);
    }
    if (code === "EACCES" || code === "EPERM") {
      throw new KitError(
        file,
        "it may not be read by this user; kits belong to one user (0700, 0600)",
      );
    }
    throw new KitError(file, `it cannot be read (${code ?? "unknown reason"})`);
  }
}

type PemName = "caPem" | "certificatePem" | "privateKeyPem" | "signingKey";

/** Reads a value in PEM, or else the file of the folder. */
async function readPem(
  values: KitValues<SigningKey>,
  name: PemName,
  file: string,
  remedy: string,
): Promise<string> {
  const place = placeOf(values, name, file);
  const given = values[name];
  if (given === undefined && values.folder === undefined) {
    throw new KitError(place, `it is missing; ${remedy}`);
  }
  const text = typeof given === "string" ? given : await readText(place, remedy);
  const label = file.endsWith(".key") ? "PRIVATE KEY" : "CERTIFICATE";
  if (new RegExp(`-----BEGIN ([A-Z]+ )?${label}-----`).test(text)) return text;
  throw new KitError(place, `it holds no PEM "${label}"; ${remedy}`);
}

async function readReceiver(folder: string): Promise<Kit["receiver"]> {
  try {
    const certificatePem = await readFile(join(folder, "receiver.crt"), "utf8");
    const privateKeyPem = await readFile(join(folder, "receiver.key"), "utf8");
    return { certificatePem, privateKeyPem };
  } catch {
    return null; // Only kits of the sandbox have these two files.
  }
}

/** Makes `console.log(kit)` and `JSON.stringify(kit)` show the kit's owner and no secret. */
function hideSecrets<Key extends SigningKey>(kit: Kit<Key>): Kit<Key> {
  const shown = () => ({
    folder: kit.folder,
    environment: kit.environment,
    baseUrl: kit.baseUrl,
    clientId: kit.clientId,
  });
  const names = [
    "toJSON",
    Symbol.for("nodejs.util.inspect.custom"),
    Symbol.for("Deno.customInspect"),
  ];
  for (const name of names) {
    Object.defineProperty(kit, name, { value: shown, enumerable: false });
  }
  return kit;
}
