import encoding from "k6/encoding";

/** The parts of a partner kit that the scripts use (Decision D43). */
export interface Kit {
  environment: "sandbox" | "production";
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  signingKeyId: string;
  signingKeyPem: string;
  caCertificate: string;
  clientCertificate: string;
  clientKey: string;
}

/**
 * Reads a kit's folder; only in the init context of a script, because k6 opens files nowhere else.
 *
 * @throws Error that says what is missing and how to get it
 */
export function readKit(folder: string): Kit {
  const read = (name: string): string => {
    try {
      return open(`${folder.replace(/\/+$/, "")}/${name}`);
    } catch {
      throw new Error(
        `no partner kit: ${name} is not in ${folder}. Start the stack (npm run stack), whose first ` +
          `partner is the default, or set SABIKA_KIT to the folder of a kit.`,
      );
    }
  };
  const partner = JSON.parse(read("partner.json")) as Record<string, string>;
  return {
    environment: partner.environment as Kit["environment"],
    baseUrl: partner.base_url!.replace(/\/+$/, ""),
    clientId: partner.client_id!,
    clientSecret: partner.client_secret!,
    signingKeyId: partner.signing_key_id!,
    signingKeyPem: read("signing.key"),
    caCertificate: read("ca.crt"),
    clientCertificate: read("client.crt"),
    clientKey: read("client.key"),
  };
}

/** Imports the kit's signing key, once per VU, because a CryptoKey cannot pass through setup(). */
export function importSigningKey(kit: Kit): Promise<CryptoKey> {
  const base64 = kit.signingKeyPem.replace(/-----[^-]+-----|\s/g, "");
  const der = encoding.b64decode(base64, "std");
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return crypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
}
