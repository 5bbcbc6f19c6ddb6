import { type DatedKey, importPublicJwk } from "@sabika/protocol";
import { desc, eq } from "drizzle-orm";
import { type AnySql, drizzle, type Sql } from "@sabika/database";
import { X509Certificate } from "@sabika/identity/certificates";
import { ES256 } from "@sabika/identity/keys";
import { certificates, signingKeys } from "./tables.ts";

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

/** All signing keys that a partner has had, to judge what it has signed. */
export async function readSigningKeys(sql: AnySql, partnerId: number): Promise<DatedKey[]> {
  const rows = await drizzle(sql).select().from(signingKeys)
    .where(eq(signingKeys.partnerId, partnerId));
  const keys = await Promise.all(rows.map(async ({ keyId, publicJwk, validFrom, validUntil }) => {
    const imported = await importPublicJwk(publicJwk);
    if (!imported.ok) return [];
    return [{ keyId, publicKey: imported.key, validFromMs: validFrom, validUntilMs: validUntil }];
  }));
  return keys.flat();
}
