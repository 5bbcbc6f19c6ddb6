import { readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * What a partner needs to call (Decision D43), read and checked. The private keys and secrets in it
 * are hidden from `console.log` and `JSON.stringify`.
 */
export interface Kit {
  folder: string;
  environment: "sandbox" | "production";
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  webhookSecret: string | null;
  webhookUrl: string | null;
  settlementIban: string | null;
  signingKeyId: string;
  /** PEM of what the server's certificate is checked against. */
  caPem: string;
  certificatePem: string;
  privateKeyPem: string;
  /** ES256, usable for signing only, not exportable. */
  signingKey: CryptoKey;
  /** In the sandbox: certificate and key for an https webhook receiver on localhost. */
  receiver: { certificatePem: string; privateKeyPem: string } | null;
}

/** A kit that cannot be used; the message names the file and says what to do. */
export class KitError extends Error {
  readonly file: string;
  constructor(file: string, message: string) {
    super(`${file}: ${message}`);
    this.name = "KitError";
    this.file = file;
  }
}

/**
 * Opens a partner kit.
 *
 * @param folder the folder with `partner.json`, `ca.crt`, `client.crt`, `client.key`, `signing.key`
 * @throws {KitError} naming the file and the remedy; contents are never part of a message
 * @example
 * const client = createClient(await openKit(".sabika/partners/demo"));
 */
export async function openKit(folder: string): Promise<Kit> {
  const partner = await readPartner(join(folder, "partner.json"));
  const [caPem, certificatePem, privateKeyPem, signingPem] = await Promise.all([
    readPem(folder, "ca.crt", "CERTIFICATE", "the operator gives it with the kit"),
    readPem(folder, "client.crt", "CERTIFICATE", "the operator returns it for your CSR"),
    readPem(
      folder,
      "client.key",
      "PRIVATE KEY",
      "the key that you made your CSR with belongs here",
    ),
    readPem(
      folder,
      "signing.key",
      "PRIVATE KEY",
      "the key that you registered for signing belongs here",
    ),
  ]);
  const signingKey = await importSigningKey(
    join(folder, "signing.key"),
    signingPem,
    partner.signingKeyId,
  );
  const kit: Kit = {
    folder,
    ...partner,
    caPem,
    certificatePem,
    privateKeyPem,
    signingKey,
    receiver: await readReceiver(folder),
  };
  return hideSecrets(kit);
}

type PartnerMembers = Pick<
  Kit,
  | "environment"
  | "baseUrl"
  | "clientId"
  | "clientSecret"
  | "webhookSecret"
  | "webhookUrl"
  | "settlementIban"
  | "signingKeyId"
>;

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
    clientSecret: required("client_secret"),
    webhookSecret: optional("webhook_secret"),
    webhookUrl: optional("webhook_url"),
    settlementIban: optional("settlement_iban"),
    signingKeyId: required("signing_key_id"),
  };
}

/** The base URL is signed as it stands (Decision D20), so it is checked and never rewritten. */
function checkBaseUrl(file: string, text: string): string {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    url = undefined;
  }
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

async function readPem(
  folder: string,
  name: string,
  label: string,
  remedy: string,
): Promise<string> {
  const file = join(folder, name);
  const text = await readText(file, remedy);
  if (text.includes(`-----BEGIN ${label}-----`)) return text;
  if (label === "PRIVATE KEY" && /-----BEGIN EC PRIVATE KEY-----/.test(text)) {
    throw new KitError(
      file,
      `it is not PKCS#8; convert it: openssl pkcs8 -topk8 -nodes -in ${name} -out ${name}.new`,
    );
  }
  if (label === "PRIVATE KEY" && /-----BEGIN ENCRYPTED PRIVATE KEY-----/.test(text)) {
    throw new KitError(
      file,
      `it has a passphrase; remove it: openssl pkcs8 -topk8 -nodes -in ${name} -out ${name}.new`,
    );
  }
  throw new KitError(file, `it holds no PEM "${label}"; ${remedy}`);
}

async function importSigningKey(file: string, pem: string, keyId: string): Promise<CryptoKey> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  try {
    const base64 = pem.match(/-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----/)?.[1] ??
      "";
    const bytes = Uint8Array.from(
      atob(base64.replace(/\s+/g, "")),
      (letter) => letter.charCodeAt(0),
    );
    const readable = await crypto.subtle.importKey("pkcs8", bytes, algorithm, true, ["sign"]);
    const jwk = await crypto.subtle.exportKey("jwk", readable);
    const key = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["sign"]);
    if (await thumbprint(jwk) === keyId) return key;
  } catch {
    throw new KitError(file, "it is not a P-256 private key in PKCS#8 (Spec §5: ES256)");
  }
  throw new KitError(
    file,
    'it is not the key that "signing_key_id" of partner.json names; put the registered key here',
  );
}

/** RFC 7638 §3.1. */
async function thumbprint(jwk: JsonWebKey): Promise<string> {
  const members = JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y });
  const hash = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode(members)),
  );
  return btoa(String.fromCharCode(...hash)).replaceAll("+", "-").replaceAll("/", "_").replaceAll(
    "=",
    "",
  );
}

async function readReceiver(folder: string): Promise<Kit["receiver"]> {
  try {
    const certificatePem = await readFile(join(folder, "receiver.crt"), "utf8");
    const privateKeyPem = await readFile(join(folder, "receiver.key"), "utf8");
    return { certificatePem, privateKeyPem };
  } catch {
    return null; // only sandbox kits have the two
  }
}

/** `console.log(kit)` and `JSON.stringify(kit)` show who the kit is for, and nothing secret. */
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
