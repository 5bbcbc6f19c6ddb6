import {
  CERTIFICATE_VALIDITY_DAYS,
  encodeHex,
  type Environment,
  rawSignatureFromDer,
  sha256Hex,
} from "@sabika/protocol";
import { ES256 } from "../keys/p256.ts";
import { type Authority, BACKDATE_MS, newSerial, pemOf, signedBy } from "./authority.ts";
import {
  type CertificateContent,
  certificateOf,
  expectedTbsCertificate,
} from "./expected_certificate.ts";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "./x509.ts";

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

interface Issuing {
  issuer: Authority;
  /** A key, or its SubjectPublicKeyInfo in DER. */
  publicKey: CryptoKey | ArrayBuffer;
  nowMs: number;
  random: (length: number) => Uint8Array;
}

type Leaf =
  & Issuing
  & Pick<CertificateContent, "organisation" | "commonName" | "usage" | "names">;

/**
 * Issues a partner's client certificate: one year, only for client authentication, with the URI
 * `urn:sabika:<environment>:<client id>` that names partner and environment (Spec §5 Mutual TLS,
 * Decision D40).
 *
 * @param publicKey SubjectPublicKeyInfo of a verified request
 */
export function issueClientCertificate(
  options: Issuing & { environment: Environment; clientId: string; organisation: string },
): Promise<IssuedCertificate> {
  return issue({
    ...options,
    commonName: options.clientId,
    usage: "clientAuth",
    names: [{ type: "url", value: `urn:sabika:${options.environment}:${options.clientId}` }],
  });
}

/**
 * Issues a server's certificate, only for server authentication.
 *
 * @param hosts names and addresses, such as `localhost` and `127.0.0.1`; the first is the common name
 */
export function issueServerCertificate(
  options: Issuing & { hosts: string[] },
): Promise<IssuedCertificate> {
  return issue({
    ...options,
    organisation: "Sabika",
    commonName: options.hosts[0] ?? "localhost",
    usage: "serverAuth",
    names: options.hosts.map((value) => ({ type: isAddress(value) ? "ip" : "dns", value })),
  });
}

async function issue(leaf: Leaf): Promise<IssuedCertificate> {
  const serial = newSerial(leaf.random);
  const validFromMs = Math.floor(leaf.nowMs / 1000) * 1000 - BACKDATE_MS;
  const validUntilMs = validFromMs + CERTIFICATE_VALIDITY_DAYS * 86_400_000;
  const extensions: Extension[] = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage[leaf.usage]], true),
    new SubjectAlternativeNameExtension(leaf.names),
    await SubjectKeyIdentifierExtension.create(leaf.publicKey),
    await AuthorityKeyIdentifierExtension.create(leaf.issuer.certificate.publicKey),
  ];
  const signed = signedBy(leaf.issuer.sign);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serial,
    // As text the library would read "#…" as raw DER and "\\" as an escape.
    subject: new Name([
      { O: [{ utf8String: leaf.organisation }] },
      { CN: [{ utf8String: leaf.commonName }] },
    ]),
    issuer: leaf.issuer.certificate.subjectName.toJSON(),
    notBefore: new Date(validFromMs),
    notAfter: new Date(validUntilMs),
    publicKey: leaf.publicKey,
    signingKey: signed.signingKey,
    signingAlgorithm: ES256,
    extensions,
  }, signed.crypto);
  await readBack(certificate, leaf, { serial, validFromMs, validUntilMs });
  return {
    pem: pemOf(certificate),
    hashHex: await sha256Hex(new Uint8Array(certificate.rawData)),
    serial,
    subject: certificate.subject,
    validFromMs,
    validUntilMs,
  };
}

/**
 * Compares a certificate byte for byte with one that is encoded a second time from the request, and
 * verifies its signature. Nothing else leaves the authority.
 *
 * @throws Error when anything differs
 */
async function readBack(
  certificate: X509Certificate,
  leaf: Leaf,
  known: Pick<CertificateContent, "serial" | "validFromMs" | "validUntilMs">,
): Promise<void> {
  const { certificate: issuer } = leaf.issuer;
  const issuerPublicKey = new Uint8Array(issuer.publicKey.rawData);
  const tbs = await expectedTbsCertificate({
    ...leaf,
    ...known,
    publicKey: new Uint8Array(
      leaf.publicKey instanceof ArrayBuffer
        ? leaf.publicKey
        : await crypto.subtle.exportKey("spki", leaf.publicKey),
    ),
    issuerName: new Uint8Array(issuer.subjectName.toArrayBuffer()),
    issuerPublicKey,
  });
  const written = new Uint8Array(certificate.rawData);
  // Before it: the certificate's header, the signed bytes, the algorithm, the BIT STRING's header.
  const signature = written.subarray(4 + tbs.length + 12 + 3);
  const expected = certificateOf(tbs, signature);
  const raw = rawSignatureFromDer(signature);
  const key = await crypto.subtle.importKey("spki", issuerPublicKey, ES256, false, ["verify"]);
  const isSame = encodeHex(expected) === encodeHex(written);
  const isSigned = raw !== undefined &&
    await crypto.subtle.verify(ES256, key, raw, Uint8Array.from(tbs));
  if (!isSame || !isSigned) {
    throw new Error("the certificate that was issued is not the one that was asked for");
  }
}

function isAddress(host: string): boolean {
  return /^[0-9.]+$/.test(host) || host.includes(":");
}
