import "reflect-metadata";
import { PemConverter, Pkcs10CertificateRequestGenerator } from "@peculiar/x509";

/**
 * Makes a certificate signing request as a partner makes it (RFC 2986).
 *
 * @returns the request and the private key, which the partner keeps (PKCS#8), both PEM
 */
export async function makeSigningRequest(
  clientId: string,
): Promise<{ csr: string; keyPem: string }> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: `O=${clientId},CN=${clientId}`,
    keys,
    signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
  });
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { csr: request.toString("pem"), keyPem: `${PemConverter.encode(pkcs8, "PRIVATE KEY")}\n` };
}
