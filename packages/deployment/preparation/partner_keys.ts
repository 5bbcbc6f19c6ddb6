import "reflect-metadata";
import { PemConverter, Pkcs10CertificateRequestGenerator } from "@peculiar/x509";

const P256 = { name: "ECDSA", namedCurve: "P-256" } as const;

/** Makes a partner's two keys, and a certificate signing request with each. */
export async function makePartnerKeys(clientId: string) {
  const client = await crypto.subtle.generateKey(P256, true, ["sign", "verify"]);
  const signing = await crypto.subtle.generateKey(P256, true, ["sign", "verify"]);
  const requestWith = async (keys: CryptoKeyPair) =>
    (await Pkcs10CertificateRequestGenerator.create({
      name: `O=${clientId},CN=${clientId}`,
      keys,
      signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
    })).toString("pem");
  return {
    csr: await requestWith(client),
    /** A request too, which proves that the partner has the signing key. */
    signingKey: await requestWith(signing),
    clientKeyPem: await privatePem(client.privateKey),
    signingKeyPem: await privatePem(signing.privateKey),
  };
}

async function privatePem(key: CryptoKey): Promise<string> {
  return PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY") + "\n";
}
