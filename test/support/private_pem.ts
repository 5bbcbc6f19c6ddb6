import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { testRecord } from "../secret_search/record.ts";

/** A private key as PKCS#8 PEM; it must be in nobody's log. */
export async function privatePem(key: CryptoKey): Promise<string> {
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", key);
  const pem = x509.PemConverter.encode(pkcs8, "PRIVATE KEY");
  testRecord.secretsIn(pem);
  return pem;
}
