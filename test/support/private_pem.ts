import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { testRecord } from "../secret_search/record.ts";

/** Exports a private key as PKCS#8 PEM, and registers it for the search for secrets in logs. */
export async function privatePem(key: CryptoKey): Promise<string> {
  return pkcs8Pem(await crypto.subtle.exportKey("pkcs8", key));
}

/** Encodes PKCS#8 DER as PEM; like `privatePem`, it registers the key. */
export function pkcs8Pem(pkcs8: ArrayBuffer | Uint8Array<ArrayBuffer>): string {
  const pem = x509.PemConverter.encode(pkcs8, "PRIVATE KEY");
  testRecord.secretsIn(pem);
  return pem;
}
