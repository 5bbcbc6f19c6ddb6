import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { privatePem } from "./private_pem.ts";
import { makeKeys } from "./test_keys.ts";

const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** A certificate signing request as a partner makes it, with the key that it keeps. */
export async function makeSigningRequest(
  clientId: string,
): Promise<{ csr: string; keyPem: string }> {
  const keys = await makeKeys();
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ O: [`Bank ${clientId}`] }, { CN: [clientId] }],
    keys,
    signingAlgorithm: ES256,
  });
  return { csr: request.toString("pem"), keyPem: await privatePem(keys.privateKey) };
}
