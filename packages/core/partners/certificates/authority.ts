import { encodeHex, type Environment } from "@sabika/protocol";
import { ES256, generateP256 } from "./p256.ts";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "./x509.ts";

/** A certificate authority with its private key. */
export interface Authority {
  certificate: X509Certificate;
  /** PEM of the certificate, with a final line feed. */
  pem: string;
  privateKey: CryptoKey;
}

const YEAR_MS = 365 * 86_400_000;
/** Peers' clocks may be a little behind ours. */
export const BACKDATE_MS = 60_000;

/**
 * Makes a root authority (20 years), or, below a root, an issuing authority (10 years) that cannot
 * certify further authorities.
 *
 * @param random source of the serial number
 */
export async function createAuthority(options: {
  environment: Environment;
  name: string;
  nowMs: number;
  random: (length: number) => Uint8Array;
  root?: Authority;
}): Promise<Authority> {
  const { environment, root } = options;
  const keys = await generateP256();
  const notBeforeMs = Math.floor(options.nowMs / 1000) * 1000 - BACKDATE_MS;
  const subject: JsonName = [{ O: ["Sabika"] }, { CN: [`Sabika ${environment} ${options.name}`] }];
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerial(options.random),
    subject,
    issuer: root?.certificate.subjectName.toJSON() ?? subject,
    notBefore: new Date(notBeforeMs),
    notAfter: new Date(notBeforeMs + (root === undefined ? 20 : 10) * YEAR_MS),
    publicKey: keys.publicKey,
    signingKey: root?.privateKey ?? keys.privateKey,
    signingAlgorithm: ES256,
    extensions: [
      new BasicConstraintsExtension(true, root === undefined ? undefined : 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(root?.certificate.publicKey ?? keys.publicKey),
    ],
  });
  return { certificate, pem: pemOf(certificate), privateKey: keys.privateKey };
}

/** A positive serial number of 16 random bytes, in lower-case hex (RFC 5280 §4.1.2.2). */
export function newSerial(random: (length: number) => Uint8Array): string {
  const bytes = Uint8Array.from(random(16));
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return encodeHex(bytes);
}

/** PEM with a final line feed, so that files can be joined. */
export function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString("pem").trim()}\n`;
}
