import { encodeHex, type Environment } from "@sabika/protocol";
import { ES256, exportPrivateKey, generateP256, importPrivateKey } from "../keys/p256.ts";
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

/** A certificate authority, and its signature. */
export interface Authority {
  certificate: X509Certificate;
  /** PEM of the certificate, with a final line feed. */
  pem: string;
  sign: Sign;
}

/** The two authorities: clients and servers trust only the root, which certifies the issuing one. */
export type AuthorityName = "root" | "issuing";

/** Signs with ES256; the signature is its two numbers, 32 bytes each (IEEE P1363). */
export type Sign = (data: Uint8Array) => Promise<Uint8Array>;

/** A new authority, and its private key in PKCS#8: to be sealed, and then forgotten. */
export interface NewAuthority extends Authority {
  pkcs8: Uint8Array;
}

/** A substitute for a private key and its crypto in the X.509 library, which signs by `sign`. */
export function signedBy(sign: Sign): { signingKey: CryptoKey; crypto: Crypto } {
  const subtle: Partial<SubtleCrypto> = {
    sign: async (_algorithm, _key, data) =>
      Uint8Array.from(await sign(new Uint8Array(data as ArrayBuffer))).buffer,
    exportKey:
      ((format: "spki", key: CryptoKey) => crypto.subtle.exportKey(format, key)) as SubtleCrypto[
        "exportKey"
      ],
  };
  return { signingKey: { algorithm: ES256 } as unknown as CryptoKey, crypto: { subtle } as Crypto };
}

const YEAR_MS = 365 * 86_400_000;
/** Peers' clocks may be a little behind ours. */
export const BACKDATE_MS = 60_000;

/**
 * Makes a key and an authority: a root, or, below a root, an issuing one.
 *
 * @param random source of the serial number
 */
export async function createAuthority(options: {
  environment: Environment;
  name: AuthorityName;
  nowMs: number;
  random: (length: number) => Uint8Array;
  root?: Authority;
}): Promise<NewAuthority> {
  const keys = await generateP256();
  const pkcs8 = await exportPrivateKey(keys.privateKey);
  const sign = await signWith(pkcs8);
  const publicKey = await crypto.subtle.exportKey("spki", keys.publicKey);
  const certificate = await certifyAuthority({ ...options, publicKey, issuer: options.root, sign });
  return { certificate, pem: pemOf(certificate), sign, pkcs8 };
}

/**
 * Certifies a root authority (20 years), or, below a root, an issuing authority (10 years) that
 * cannot certify further authorities.
 *
 * @param options.publicKey SubjectPublicKeyInfo, DER
 * @param options.sign the signature of the authority itself, for a root
 */
export async function certifyAuthority(options: {
  environment: Environment;
  name: AuthorityName;
  nowMs: number;
  random: (length: number) => Uint8Array;
  publicKey: ArrayBuffer;
  issuer: Authority | undefined;
  sign?: Sign;
}): Promise<X509Certificate> {
  const { environment, issuer, publicKey } = options;
  const signed = signedBy((issuer?.sign ?? options.sign)!);
  const notBeforeMs = Math.floor(options.nowMs / 1000) * 1000 - BACKDATE_MS;
  const subject: JsonName = [{ O: ["Sabika"] }, { CN: [authorityName(environment, options.name)] }];
  return await X509CertificateGenerator.create({
    serialNumber: newSerial(options.random),
    subject,
    issuer: issuer?.certificate.subjectName.toJSON() ?? subject,
    notBefore: new Date(notBeforeMs),
    notAfter: new Date(notBeforeMs + (issuer === undefined ? 20 : 10) * YEAR_MS),
    publicKey,
    signingKey: signed.signingKey,
    signingAlgorithm: ES256,
    extensions: [
      new BasicConstraintsExtension(true, issuer === undefined ? undefined : 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer?.certificate.publicKey ?? publicKey),
    ],
  }, signed.crypto);
}

/** The common name of an authority. */
export const authorityName = (environment: Environment, name: AuthorityName): string =>
  `Sabika ${environment} ${name}`;

/** Signs with a private key in PKCS#8, which cannot be read from the returned function. */
export async function signWith(pkcs8: Uint8Array): Promise<Sign> {
  const key = await importPrivateKey(pkcs8);
  return async (data) =>
    new Uint8Array(await crypto.subtle.sign(ES256, key, Uint8Array.from(data)));
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
