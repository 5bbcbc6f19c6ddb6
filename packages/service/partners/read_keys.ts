import { desc, eq } from "drizzle-orm";
import { drizzle, type Sql } from "@sabika/database";
import { X509Certificate } from "@sabika/identity/certificates";
import { ES256 } from "@sabika/identity/keys";
import { certificates } from "./tables.ts";

/** More certificates than a partner uses in a year of rotations. */
const KEYS_MAX = 10;

/**
 * The public keys of a partner's client certificates, newest first, to recognise a signature that was
 * made with one of them by mistake (Decision D15). They are used for nothing else.
 */
export async function readCertificateKeys(sql: Sql, partnerId: number): Promise<CryptoKey[]> {
  const { pem, validFrom } = certificates;
  const rows = await drizzle(sql).select({ pem }).from(certificates)
    .where(eq(certificates.partnerId, partnerId)).orderBy(desc(validFrom)).limit(KEYS_MAX);
  return await Promise.all(rows.map(({ pem }) => {
    const { rawData } = new X509Certificate(pem).publicKey;
    return crypto.subtle.importKey("spki", rawData, ES256, false, ["verify"]);
  }));
}
