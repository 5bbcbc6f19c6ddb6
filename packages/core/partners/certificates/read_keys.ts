import { desc, eq } from "drizzle-orm";
import type { Sql } from "../../store/database.ts";
import { drizzle } from "../../store/drizzle.ts";
import { certificates } from "../../store/schema/mod.ts";
import { ES256 } from "../p256.ts";
import { X509Certificate } from "./x509.ts";

/** More than a partner has in a year of rotations. */
const KEYS_MAX = 10;

/**
 * The public keys of a partner's client certificates, newest first, to tell a signature that was
 * made with one of them by mistake (Decision D15). They verify nothing else.
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
