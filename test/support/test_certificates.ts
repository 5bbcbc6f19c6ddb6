import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { testRecord } from "../secret_search/record.ts";

const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;

/** PEM of a certificate and its PKCS#8 key. */
export interface TestCertificate {
  certificatePem: string;
  privateKeyPem: string;
}

/** A certification authority of a test, nothing to do with the service's own. */
export interface TestAuthority {
  certificatePem: string;
  /** A leaf for names and addresses (a server), or for none (a client). */
  issue(options?: {
    name?: string;
    dns?: string[];
    ip?: string[];
    notAfterMs?: number;
  }): Promise<TestCertificate>;
}

/** Makes an authority with a key of its own. */
export async function createTestAuthority(nowMs: number = Date.now()): Promise<TestAuthority> {
  const keys = await generate();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: "CN=Test authority " + crypto.randomUUID().slice(0, 8),
    notBefore: new Date(nowMs - DAY_MS),
    notAfter: new Date(nowMs + 365 * DAY_MS),
    keys,
    signingAlgorithm: ES256,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  return {
    certificatePem: ca.toString("pem"),
    async issue({ name = "test", dns = [], ip = [], notAfterMs = nowMs + 30 * DAY_MS } = {}) {
      const leafKeys = await generate();
      const names = [
        ...dns.map((value) => ({ type: "dns" as const, value })),
        ...ip.map((value) => ({ type: "ip" as const, value })),
      ];
      const leaf = await x509.X509CertificateGenerator.create({
        serialNumber: serial(),
        subject: `O=Test, CN=${name}`,
        issuer: ca.subject,
        notBefore: new Date(Math.min(nowMs, notAfterMs) - 10 * DAY_MS),
        notAfter: new Date(notAfterMs),
        publicKey: leafKeys.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ES256,
        extensions: names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)],
      });
      return {
        certificatePem: leaf.toString("pem"),
        privateKeyPem: await privatePem(leafKeys.privateKey),
      };
    },
  };
}

/** A P-256 private key as PKCS#8 PEM. */
export async function privatePem(key: CryptoKey): Promise<string> {
  const der = new Uint8Array(await crypto.subtle.exportKey("pkcs8", key));
  const base64 = btoa(String.fromCharCode(...der)).replace(/(.{64})(?=.)/g, "$1\n");
  const pem = `-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----\n`;
  testRecord.secretsIn(pem);
  return pem;
}

function generate(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ES256, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
}

function serial(): string {
  return "40" + crypto.randomUUID().replaceAll("-", "").slice(0, 16);
}
