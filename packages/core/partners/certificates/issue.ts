import { type Environment, sha256Hex } from "@sabika/protocol";
import { type Authority, BACKDATE_MS, newSerial, pemOf } from "./authority.ts";
import { ES256 } from "./p256.ts";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  type PublicKeyType,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "./x509.ts";

/** Certificates are valid for a year (Spec §8). */
const CERTIFICATE_DAYS = 365;

/** An issued certificate; the door finds it by its hash. */
export interface IssuedCertificate {
  pem: string;
  /** SHA-256 of the DER, lower-case hex. */
  hashHex: string;
  /** Lower-case hex. */
  serial: string;
  subject: string;
  validFromMs: number;
  validUntilMs: number;
}

interface Leaf {
  issuer: Authority;
  publicKey: PublicKeyType;
  subject: { [type: string]: string[] }[];
  usage: string;
  names: JsonGeneralName[];
  nowMs: number;
  random: (length: number) => Uint8Array;
}

/**
 * Issues a partner's client certificate: one year, for client authentication alone, with the URI
 * `urn:sabika:<environment>:<client id>` that names partner and environment (Spec §5 Mutual TLS,
 * Decision D40).
 *
 * @param publicKey SubjectPublicKeyInfo of a verified request
 */
export function issueClientCertificate(options: {
  issuer: Authority;
  environment: Environment;
  clientId: string;
  organisation: string;
  publicKey: PublicKeyType;
  nowMs: number;
  random: (length: number) => Uint8Array;
}): Promise<IssuedCertificate> {
  return issue({
    ...options,
    subject: [{ O: [options.organisation] }, { CN: [options.clientId] }],
    usage: ExtendedKeyUsage.clientAuth,
    names: [{ type: "url", value: `urn:sabika:${options.environment}:${options.clientId}` }],
  });
}

/**
 * Issues a server's certificate, for server authentication alone.
 *
 * @param hosts names and addresses, such as `localhost` and `127.0.0.1`; the first is the common
 * name
 */
export function issueServerCertificate(options: {
  issuer: Authority;
  hosts: string[];
  publicKey: PublicKeyType;
  nowMs: number;
  random: (length: number) => Uint8Array;
}): Promise<IssuedCertificate> {
  return issue({
    ...options,
    subject: [{ O: ["Sabika"] }, { CN: [options.hosts[0] ?? "localhost"] }],
    usage: ExtendedKeyUsage.serverAuth,
    names: options.hosts.map((value) => ({ type: isAddress(value) ? "ip" : "dns", value })),
  });
}

async function issue(leaf: Leaf): Promise<IssuedCertificate> {
  const serial = newSerial(leaf.random);
  const validFromMs = Math.floor(leaf.nowMs / 1000) * 1000 - BACKDATE_MS;
  const validUntilMs = validFromMs + CERTIFICATE_DAYS * 86_400_000;
  const extensions: Extension[] = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([leaf.usage], true),
    new SubjectAlternativeNameExtension(leaf.names),
    await SubjectKeyIdentifierExtension.create(leaf.publicKey),
    await AuthorityKeyIdentifierExtension.create(leaf.issuer.certificate.publicKey),
  ];
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serial,
    subject: leaf.subject,
    issuer: leaf.issuer.certificate.subjectName.toJSON(),
    notBefore: new Date(validFromMs),
    notAfter: new Date(validUntilMs),
    publicKey: leaf.publicKey,
    signingKey: leaf.issuer.privateKey,
    signingAlgorithm: ES256,
    extensions,
  });
  return {
    pem: pemOf(certificate),
    hashHex: await sha256Hex(new Uint8Array(certificate.rawData)),
    serial,
    subject: certificate.subject,
    validFromMs,
    validUntilMs,
  };
}

function isAddress(host: string): boolean {
  return /^[0-9.]+$/.test(host) || host.includes(":");
}
