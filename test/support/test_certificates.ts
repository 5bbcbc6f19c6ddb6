import { createAuthority } from "./edge/authority.ts";

const DAY_MS = 86_400_000;

/** A certificate and its private key, in PEM. */
export interface TestCertificate {
  certificatePem: string;
  privateKeyPem: string;
}

/** A certification authority of a test, independent of the service's authorities. */
export type TestAuthority = Awaited<ReturnType<typeof createTestAuthority>>;

/** The subject of a certificate: a server if it has names or addresses, otherwise a client. */
interface Leaf {
  name?: string;
  dns?: string[];
  ip?: string[];
  notAfterMs?: number;
}

/** Creates an authority with a new key. */
export async function createTestAuthority() {
  const authority = await createAuthority(`Test authority ${crypto.randomUUID().slice(0, 8)}`);
  return {
    certificatePem: authority.pem,
    async issue(
      { name = "test", dns = [], ip = [], ...leaf }: Leaf = {},
    ): Promise<TestCertificate> {
      const nowMs = Date.now();
      const notAfterMs = leaf.notAfterMs ?? nowMs + 30 * DAY_MS;
      const { certificate, key } = await authority.issue({
        commonName: name,
        usages: [],
        notBeforeMs: Math.min(nowMs, notAfterMs) - 10 * DAY_MS,
        notAfterMs,
        names: [
          ...dns.map((value) => ({ type: "dns" as const, value })),
          ...ip.map((value) => ({ type: "ip" as const, value })),
        ],
      });
      return { certificatePem: certificate, privateKeyPem: key };
    },
  };
}
