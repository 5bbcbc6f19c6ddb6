import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { testRecord } from "../secret_search/record.ts";

/** A private key as PKCS#8 PEM; it must be in nobody's log. */
export async function privatePem(key: CryptoKey): Promise<string> {
  return pkcs8Pem(await crypto.subtle.exportKey("pkcs8", key));
}

/** Like `privatePem`, but from PKCS#8 DER. */
export function pkcs8Pem(pkcs8: ArrayBuffer | Uint8Array<ArrayBuffer>): string {
  const pem = x509.PemConverter.encode(pkcs8, "PRIVATE KEY");
  testRecord.secretsIn(pem);
  return pem;
}
