import { decodePem, type Environment, refuse } from "@sabika/protocol";
import type { AdminOutcome } from "@sabika/terms";
import { toPem } from "../keys/p256.ts";
import {
  type Authority,
  authorityName,
  certifyAuthority,
  createAuthority,
  type NewAuthority,
  pemOf,
  signWith,
} from "./authority.ts";
import { createRevocationList } from "./revocation_list.ts";
import { readSigningRequest } from "./signing_request.ts";
import { X509Certificate } from "./x509.ts";

/** The root authority, able to sign: only where its private key is. */
export interface Root extends Authority {
  environment: Environment;
}

/** Where a root's certificate and private key are, as one PEM text (Decision D73). */
export interface RootPlace {
  /** Undefined while there is none. */
  read(): Promise<string | undefined>;
  write(pem: string): Promise<void>;
}

/** Makes a root authority, as the text of its file: certificate and private key, PEM. */
export async function createRoot({ environment, nowMs, random }: {
  environment: Environment;
  nowMs: number;
  random: (length: number) => Uint8Array;
}): Promise<string> {
  return rootText(await createAuthority({ environment, name: "root", nowMs, random }));
}

/** A root's certificate and private key as the text of its file. */
export const rootText = ({ pem, pkcs8 }: Pick<NewAuthority, "pem" | "pkcs8">): string =>
  pem + toPem("PRIVATE KEY", pkcs8);

/**
 * Reads a root's file.
 *
 * @throws Error with one line when it is not a root, or the key is not the certificate's
 */
export async function readRoot(text: string): Promise<Root> {
  const [certificatePem, keyPem] = ["CERTIFICATE", "PRIVATE KEY"].map((label) =>
    new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----\n?`).exec(text)?.[0]
  );
  const pkcs8 = decodePem(keyPem ?? "")?.bytes;
  if (certificatePem === undefined || pkcs8 === undefined) {
    throw new Error("the root's file has no CERTIFICATE and PRIVATE KEY in PEM");
  }
  let certificate: X509Certificate;
  let sign: Authority["sign"];
  try {
    certificate = new X509Certificate(certificatePem);
    sign = await signWith(pkcs8);
  } catch {
    throw new Error("the root's file cannot be read: not a certificate and a P-256 key (PKCS#8)");
  }
  const environment = (["sandbox", "production"] as const).find((name) =>
    certificate.subjectName.getField("CN")[0] === authorityName(name, "root")
  );
  if (environment === undefined) throw new Error("the root's file is not that of a Sabika root");
  const data = new Uint8Array(certificate.rawData);
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const publicKey = await certificate.publicKey.export(
    { name: "ECDSA", namedCurve: "P-256" },
    ["verify"],
  );
  const signature = Uint8Array.from(await sign(data));
  if (!await crypto.subtle.verify(algorithm, publicKey, signature, data)) {
    throw new Error("the private key in the root's file is not that of its certificate");
  }
  return { environment, certificate, pem: pemOf(certificate), sign };
}

/**
 * Signs an issuing authority's certificate signing request, and the root's revocation list, which is
 * valid as long as that certificate: a list is replaced, not waited for.
 *
 * @param request PEM, made by the deployment; for a renewal with the same key as before
 * @returns the issuing certificate, the root's and its list, joined in one PEM text
 */
export async function certifyIssuing(
  root: Root,
  request: string,
  options: { nowMs: number; random: (length: number) => Uint8Array },
): Promise<AdminOutcome<string>> {
  const { environment } = root;
  const read = await readSigningRequest(request, authorityName(environment, "issuing"));
  if (!read.ok) {
    return refuse(
      "invalid_csr",
      `not a request for the issuing authority of ${environment}, as \`sabika authority request\` makes it`,
    );
  }
  const { publicKey } = read.value;
  const certificate = await certifyAuthority({
    ...options,
    environment,
    name: "issuing",
    publicKey,
    issuer: root,
  });
  const rootListPem = await createRootList(root, certificate.notAfter.getTime(), options.nowMs);
  return { ok: true, value: pemOf(certificate) + root.pem + rootListPem };
}

/** The root's revocation list, which is empty, but required for checking a chain. */
export function createRootList(root: Authority, untilMs: number, nowMs: number): Promise<string> {
  const number = BigInt(nowMs);
  return createRevocationList({ issuer: root, number, revoked: [], nowMs, untilMs });
}
