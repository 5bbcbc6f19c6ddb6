import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { encodeHex } from "@sabika/protocol";
import { privatePem } from "../private_pem.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MS = 86_400_000;

/** The extended key usages of a certificate that only servers may use. */
export const SERVER_ONLY = [x509.ExtendedKeyUsage.serverAuth];

/** A certificate for tests with its key, both PEM. */
export type Credential = Awaited<ReturnType<typeof credential>>;

/** The contents of a certificate, by default those of a valid client's. */
export interface CertificateWishes {
  commonName: string;
  notBeforeMs?: number;
  notAfterMs?: number;
  usages?: x509.ExtendedKeyUsage[];
  names?: { type: "dns" | "ip" | "url"; value: string }[];
  /** The kind of key; P-256 by default. */
  algorithm?: EcKeyGenParams | RsaHashedKeyGenParams;
}

/** A kind of key that the sidecar's checks accept but Envoy refuses as too short. */
export const SHORT_RSA: RsaHashedKeyGenParams = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  modulusLength: 1024,
  publicExponent: Uint8Array.from([1, 0, 1]),
};

/** A certification authority for tests. */
export class Authority {
  readonly certificate: x509.X509Certificate;
  readonly #keys: CryptoKeyPair;
  #serial = 1n;

  constructor(certificate: x509.X509Certificate, keys: CryptoKeyPair) {
    this.certificate = certificate;
    this.#keys = keys;
  }

  get pem(): string {
    return this.certificate.toString("pem");
  }

  /** Returns the CA's own certificate and key, as a caller might misuse them. */
  async asCredential(): Promise<Credential> {
    return await credential(this.certificate, this.#keys.privateKey);
  }

  /** Signs a certificate, by default a good client's. */
  async issue(wishes: CertificateWishes): Promise<Credential> {
    const algorithm = wishes.algorithm ?? ALGORITHM;
    const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
    if (!("publicKey" in keys)) throw new TypeError("a pair of keys is needed");
    const now = Date.now();
    const usages = wishes.usages ?? [x509.ExtendedKeyUsage.clientAuth];
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: (this.#serial++ + 0x1000n).toString(16),
      subject: `CN=${wishes.commonName},O=Test`,
      issuer: this.certificate.subject,
      notBefore: new Date(wishes.notBeforeMs ?? now - DAY_MS),
      notAfter: new Date(wishes.notAfterMs ?? now + 300 * DAY_MS),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        ...(usages.length > 0 ? [new x509.ExtendedKeyUsageExtension(usages)] : []),
        ...(wishes.names?.length ? [new x509.SubjectAlternativeNameExtension(wishes.names)] : []),
      ],
    });
    return await credential(certificate, keys.privateKey);
  }

  /** Signs a server's certificate for localhost and 127.0.0.1. */
  async issueServer(wishes: Partial<CertificateWishes> = {}): Promise<Credential> {
    return await this.issue({
      commonName: "localhost",
      usages: [x509.ExtendedKeyUsage.serverAuth],
      names: [{ type: "dns", value: "localhost" }, { type: "ip", value: "127.0.0.1" }],
      ...wishes,
    });
  }

  /** Signs a revocation list with these serial numbers. */
  async crl(serials: string[] = [], nextUpdateMs = Date.now() + 7 * DAY_MS): Promise<string> {
    const list = await x509.X509CrlGenerator.create({
      issuer: this.certificate.subject,
      thisUpdate: new Date(Math.min(Date.now(), nextUpdateMs) - 60_000),
      nextUpdate: new Date(nextUpdateMs),
      signingAlgorithm: ALGORITHM,
      signingKey: this.#keys.privateKey,
      entries: serials.map((serialNumber) => ({
        serialNumber,
        revocationDate: new Date(),
        reason: x509.X509CrlReason.keyCompromise,
      })),
    });
    // OpenSSL and Envoy accept this label, but not the library's "CRL".
    return x509.PemConverter.encode(list.rawData, "X509 CRL");
  }
}

/** Creates a CA; `commonName` may be that of another CA, to forge it. */
export async function createAuthority(commonName: string): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: `CN=${commonName}`,
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + 3650 * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return new Authority(certificate, keys);
}

/** Makes a client's certificate that no authority signed. */
export async function selfSigned(commonName: string): Promise<Credential> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: "02",
    name: `CN=${commonName}`,
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + 300 * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
  });
  return await credential(certificate, keys.privateKey);
}

async function credential(certificate: x509.X509Certificate, key: CryptoKey) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", certificate.rawData));
  return {
    certificate: certificate.toString("pem"),
    key: await privatePem(key),
    hashHex: encodeHex(hash),
    serial: certificate.serialNumber,
  };
}
