import { encodeHex, type Environment, refuse } from "@sabika/protocol";
import { eq, inArray } from "drizzle-orm";
import { drizzle, type Transaction } from "@sabika/database";
import type { AdminOutcome } from "@sabika/terms";
import { ES256 } from "../keys/p256.ts";
import type { KeyService } from "../secrets/key_service.ts";
import { authorityIdentity, REQUESTED } from "./authorities.ts";
import { authorityName, pemOf, type Sign, signedBy } from "./authority.ts";
import { certifyIssuing, createRoot, readRoot, type RootPlace } from "./root.ts";
import { authorities } from "./tables.ts";
import {
  Pkcs10CertificateRequest,
  Pkcs10CertificateRequestGenerator,
  X509Certificate,
  X509Crl,
} from "./x509.ts";

interface Options {
  secrets: KeyService;
  environment: Environment;
}

/**
 * Makes the certificate signing request (PEM) for this deployment's issuing authority, which the root signs.
 * The first request makes the key; later ones use the same key, so that issued certificates stay valid. While
 * a request is open it is returned again.
 */
export async function requestIssuing(
  sql: Transaction,
  { secrets, environment }: Options,
): Promise<string> {
  // Two requests at once would each make a key.
  await sql`lock table authorities in exclusive mode`;
  const db = drizzle(sql);
  const rows = await db.select().from(authorities);
  const requested = rows.find(({ name }) => name === REQUESTED);
  if (requested !== undefined) return requested.certificatePem;
  const identity = authorityIdentity("issuing");
  const issuing = rows.find(({ name }) => name === "issuing");
  if (issuing !== undefined) {
    const { sealedPrivateKey, certificatePem } = issuing;
    const sign: Sign = (data) => secrets.sign(identity, sealedPrivateKey!, data);
    return await createRequest(
      environment,
      new X509Certificate(certificatePem).publicKey.rawData,
      sign,
    );
  }
  const { publicKey, sealedKey } = await secrets.makeSigningKey(identity);
  const request = await createRequest(
    environment,
    publicKey,
    (data) => secrets.sign(identity, sealedKey, data),
  );
  await db.insert(authorities)
    .values({ name: REQUESTED, certificatePem: request, sealedPrivateKey: sealedKey });
  return request;
}

async function createRequest(
  environment: Environment,
  spki: ArrayBuffer,
  sign: Sign,
): Promise<string> {
  const { signingKey, crypto: signing } = signedBy(sign);
  const publicKey = await crypto.subtle.importKey("spki", spki, ES256, true, ["verify"]);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: [{ O: ["Sabika"] }, { CN: [authorityName(environment, "issuing")] }],
    keys: { publicKey, privateKey: signingKey },
    signingAlgorithm: ES256,
  }, signing);
  return `${request.toString("pem").trim()}\n`;
}

/** The certificates of the installed authorities. */
export interface InstalledAuthorities {
  issuing: X509Certificate;
  root: X509Certificate;
}

/**
 * Installs the certificates that the root has signed. The root of a deployment must not change.
 *
 * @param pem the issuing authority's certificate, then the root's, and the root's revocation list
 * @returns the certificates; refusals are `invalid_certificate` and `wrong_environment`
 */
export async function installIssuing(
  sql: Transaction,
  { environment }: Pick<Options, "environment">,
  pem: string,
): Promise<AdminOutcome<InstalledAuthorities>> {
  await sql`lock table authorities in exclusive mode`;
  const db = drizzle(sql);
  const rows = await db.select().from(authorities);
  const row = (name: string) => rows.find((row) => row.name === name);
  const read = readSigned(pem);
  if (read === undefined) {
    return refuse(
      "invalid_certificate",
      "two certificates and a revocation list in PEM are expected, as `sabika authority issue` writes them",
    );
  }
  const { issuing, root, list } = read;
  const nameOf = (certificate: X509Certificate) => certificate.subjectName.getField("CN")[0];
  if (
    nameOf(issuing) !== authorityName(environment, "issuing") ||
    nameOf(root) !== authorityName(environment, "root")
  ) {
    return refuse("wrong_environment", `these are not the authorities of ${environment}`);
  }
  const isSigned = await issuing.verify({ publicKey: root.publicKey, signatureOnly: true }) &&
    await root.verify({ publicKey: root.publicKey, signatureOnly: true }) &&
    await list.verify({ publicKey: root.publicKey });
  if (!isSigned) return refuse("invalid_certificate", "the root has not signed the certificates");
  const known = row("root");
  if (known !== undefined && known.certificatePem !== pemOf(root)) {
    return refuse("invalid_certificate", "the certificates are of another root than before");
  }
  const requested = row(REQUESTED);
  const current = row("issuing");
  const requestedKey = requested !== undefined
    ? new Pkcs10CertificateRequest(requested.certificatePem).publicKey.rawData
    : current && new X509Certificate(current.certificatePem).publicKey.rawData;
  const hex = (bytes: ArrayBuffer) => encodeHex(new Uint8Array(bytes));
  if (requestedKey === undefined || hex(requestedKey) !== hex(issuing.publicKey.rawData)) {
    return refuse(
      "invalid_certificate",
      "the certificate is not for this deployment's key: make a request with `sabika authority request`",
    );
  }
  const rootRow = { certificatePem: pemOf(root), revocationListPem: list.pem };
  await db.insert(authorities).values({ name: "root", ...rootRow })
    .onConflictDoUpdate({ target: authorities.name, set: rootRow });
  await db.update(authorities).set({ name: "issuing", certificatePem: pemOf(issuing) })
    .where(inArray(authorities.name, [REQUESTED, "issuing"]));
  return { ok: true, value: { issuing, root } };
}

function readSigned(pem: string) {
  const blocks = (label: string) =>
    pem.match(new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----`, "g")) ?? [];
  const [issuing, root, third] = blocks("CERTIFICATE");
  const [list] = blocks("X509 CRL");
  if (issuing === undefined || root === undefined || list === undefined || third !== undefined) {
    return undefined;
  }
  try {
    const base64 = list.replace(/-----[^-]+-----/g, "").replace(/\s/g, "");
    const crl = new X509Crl(base64);
    return {
      issuing: new X509Certificate(issuing),
      root: new X509Certificate(root),
      list: Object.assign(crl, { pem: `${list}\n` }),
    };
  } catch {
    return undefined;
  }
}

/**
 * Creates the authorities of a new deployment with the root in `place`, and the root too if `place` is empty.
 * Does nothing if the deployment has authorities.
 *
 * @throws Error if `place` has no valid root, or that of the other environment
 */
export async function establishAuthorities(
  sql: Transaction,
  place: RootPlace,
  options: Options & { nowMs: number; random: (length: number) => Uint8Array },
): Promise<void> {
  const { environment } = options;
  await sql`lock table authorities in exclusive mode`;
  if (await drizzle(sql).$count(authorities, eq(authorities.name, "issuing")) > 0) return;
  let text = await place.read();
  if (text === undefined) {
    text = await createRoot(options);
    await place.write(text);
  }
  const root = await readRoot(text);
  if (root.environment !== environment) {
    throw new Error(`the root at hand is that of ${root.environment}, not of ${environment}`);
  }
  const signed = await certifyIssuing(root, await requestIssuing(sql, options), options);
  if (!signed.ok) throw new Error(signed.detail);
  const installed = await installIssuing(sql, options, signed.value);
  if (!installed.ok) throw new Error(installed.detail);
}
