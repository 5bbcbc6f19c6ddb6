import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { KitError } from "./kit_error.ts";
import { checkKeyPair } from "./key_pair.ts";
import { importSigningKey } from "./signing_key.ts";

/**
 * A partner's credentials and addresses (Decision D43), read and checked. `console.log` and `JSON.stringify`
 * do not show its private keys and secrets.
 */
export interface Kit {
  /** The folder of the kit. */
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
  /** The private key of that certificate, in PEM. */
  privateKeyPem: string;
  /** The ES256 key for signing requests; it is not extractable. */
  signingKey: CryptoKey;
  /** In the sandbox: certificate and key of an HTTPS webhook receiver on localhost, in PEM; else null. */
  receiver: { certificatePem: string; privateKeyPem: string } | null;
}

/**
 * Opens a partner kit.
 *
 * @param folder the folder with `partner.json`, `ca.crt`, `client.crt`, `client.key`, `signing.key`
 * @throws {KitError} naming the file and the remedy; contents are never part of a message
 * @example
 * ```ts
 * import { KitError, openKit } from "@sabika/client";
 *
 * const kit = await openKit(".sabika/partners/demo");
 * console.log(kit.clientId, kit.environment);
 * await openKit("nowhere").catch((error) => {
 *   if (error instanceof KitError) console.log(error.file, error.message);
 * });
 * ```
 */
export async function openKit(folder: string): Promise<Kit> {
  const partner = await readPartner(join(folder, "partner.json"));
  const [caPem, certificatePem, privateKeyPem, signingPem] = await Promise.all([
    readPem(folder, "ca.crt", "the operator gives it with the kit"),
    readPem(folder, "client.crt", "the operator returns it for your CSR"),
    readPem(folder, "client.key", "the key that you made your CSR with belongs here"),
    readPem(folder, "signing.key", "the key that you registered for signing belongs here"),
  ]);
  await checkKeyPair(join(folder, "client.key"), privateKeyPem, certificatePem);
  const signing = await importSigningKey(
    join(folder, "signing.key"),
    signingPem,
    partner.signingKeyId,
  );
  const kit: Kit = {
    folder,
    ...partner,
    ...signing,
    caPem,
    certificatePem,
    privateKeyPem,
    receiver: await readReceiver(folder),
  };
  return hideSecrets(kit);
}

/** The members of `partner.json`; without a key id it is computed from the signing key. */
interface PartnerMembers
  extends
    Pick<Kit, "environment" | "baseUrl" | "clientId" | "clientSecret">,
    Pick<Kit, "webhookSecret" | "webhookUrl" | "settlementIban"> {
  signingKeyId: string | null;
}

async function readPartner(file: string): Promise<PartnerMembers> {
  const text = await readText(file, "is this the folder of a partner kit?");
  let members: Record<string, unknown>;
  try {
    members = JSON.parse(text);
  } catch {
    throw new KitError(file, "it is not JSON; take it from the kit again");
  }
  if (typeof members !== "object" || members === null || Array.isArray(members)) {
    throw new KitError(file, "it is not a JSON object; take it from the kit again");
  }
  const required = (name: string): string => {
    const value = members[name];
    if (typeof value === "string" && value !== "") return value;
    throw new KitError(file, `"${name}" is missing or not a text; take it from the kit again`);
  };
  const optional = (name: string): string | null => {
    const value = members[name];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const environment = required("environment");
  if (environment !== "sandbox" && environment !== "production") {
    throw new KitError(file, '"environment" must be sandbox or production');
  }
  return {
    environment,
    baseUrl: checkBaseUrl(file, required("base_url")),
    clientId: required("client_id"),
    clientSecret: optional("client_secret") ?? "",
    webhookSecret: optional("webhook_secret"),
    webhookUrl: optional("webhook_url"),
    settlementIban: optional("settlement_iban"),
    signingKeyId: optional("signing_key_id"),
  };
}

/** Checks the base URL, which is never rewritten because signatures contain it (Decision D20). */
function checkBaseUrl(file: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" || url.search !== "" || url.hash !== "" || text.endsWith("/")) {
    throw new KitError(file, '"base_url" must be an https address without query or final slash');
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

/** Private keys in other forms than PKCS#8, which openssl can convert. */
const OTHER_KEYS: Readonly<Record<string, string>> = {
  "EC PRIVATE KEY": "it is not PKCS#8; convert it",
  "ENCRYPTED PRIVATE KEY": "it has a passphrase; remove it",
};

async function readPem(folder: string, name: string, remedy: string): Promise<string> {
  const label = name.endsWith(".key") ? "PRIVATE KEY" : "CERTIFICATE";
  const file = join(folder, name);
  const text = await readText(file, remedy);
  const holds = (label: string) => text.includes(`-----BEGIN ${label}-----`);
  if (holds(label)) return text;
  const other = label === "PRIVATE KEY" ? Object.keys(OTHER_KEYS).find(holds) : undefined;
  throw new KitError(
    file,
    other === undefined
      ? `it holds no PEM "${label}"; ${remedy}`
      : `${OTHER_KEYS[other]}: openssl pkcs8 -topk8 -nodes -in ${name} -out ${name}.new`,
  );
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
function hideSecrets(kit: Kit): Kit {
  const shown = () => ({
    folder: kit.folder,
    environment: kit.environment,
    baseUrl: kit.baseUrl,
    clientId: kit.clientId,
  });
  for (
    const name of [
      "toJSON",
      Symbol.for("nodejs.util.inspect.custom"),
      Symbol.for("Deno.customInspect"),
    ]
  ) {
    Object.defineProperty(kit, name, { value: shown, enumerable: false });
  }
  return kit;
}
