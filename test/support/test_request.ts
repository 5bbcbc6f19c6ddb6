import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { toPem } from "@sabika/identity/keys";
import { privatePem } from "./private_pem.ts";
import { makeKeys } from "./test_keys.ts";

const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Makes a key for a partner, and certificate signing requests with it, all PEM. */
export async function makePartnerKey() {
  const keys = await makeKeys();
  const spki = await crypto.subtle.exportKey("spki", keys.publicKey);
  return {
    publicPem: toPem("PUBLIC KEY", new Uint8Array(spki)),
    keyPem: await privatePem(keys.privateKey),
    async csr(clientId: string): Promise<string> {
      const request = await x509.Pkcs10CertificateRequestGenerator.create({
        name: [{ O: [`Bank ${clientId}`] }, { CN: [clientId] }],
        keys,
        signingAlgorithm: ES256,
      });
      return request.toString("pem");
    },
  };
}

/** Makes a certificate signing request as a partner does, and the private key that it keeps. */
export async function makeSigningRequest(
  clientId: string,
): Promise<{ csr: string; keyPem: string }> {
  const { keyPem, csr } = await makePartnerKey();
  return { keyPem, csr: await csr(clientId) };
}
