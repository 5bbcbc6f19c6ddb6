import "reflect-metadata";
import * as x509 from "@peculiar/x509";

const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** A certificate signing request as a partner makes it, with the key that it keeps. */
export async function makeSigningRequest(
  clientId: string,
): Promise<{ csr: string; keyPem: string }> {
  const keys = await crypto.subtle.generateKey(ES256, true, ["sign", "verify"]);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ O: [`Bank ${clientId}`] }, { CN: [clientId] }],
    keys,
    signingAlgorithm: ES256,
  });
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { csr: request.toString("pem"), keyPem: x509.PemConverter.encode(pkcs8, "PRIVATE KEY") };
}
