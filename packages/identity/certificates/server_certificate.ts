import { exportPrivateKey, generateP256, toPem } from "../keys/p256.ts";
import type { Authorities } from "./authorities.ts";
import { issueServerCertificate } from "./issue.ts";

/**
 * Makes a key and a server certificate: for the service's own listener, the sidecar's, or a webhook
 * receiver on localhost (Decision D43).
 */
export async function makeServerCertificate(options: {
  authorities: Authorities;
  hosts: string[];
  nowMs: number;
  random: (length: number) => Uint8Array;
}) {
  const { authorities } = options;
  const keys = await generateP256();
  const issued = await issueServerCertificate({
    ...options,
    issuer: authorities.issuing,
    publicKey: keys.publicKey,
  });
  return {
    /** Leaf and issuing authority, PEM. */
    certificatePem: issued.pem + authorities.issuing.pem,
    /** PKCS#8, PEM. */
    keyPem: toPem("PRIVATE KEY", await exportPrivateKey(keys.privateKey)),
    validUntilMs: issued.validUntilMs,
  };
}
