import { decodeBase64Url, type PublicJwk } from "@sabika/protocol";
import { eq, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { certificates, partners, signingKeys } from "../partners/tables.ts";

/** Whose key it is or was, and for what. */
export interface KeyUse {
  readonly clientId: string;
  readonly usedAs: "certificate" | "signing key";
}

/**
 * Finds out whether a key is another partner's, or the partner's own for the other purpose, now or at any time
 * before: one key, one partner, one purpose (Decision D70). A new certificate may have the key of an earlier
 * certificate of the partner. Undefined when the key is free.
 */
export async function findKeyUse(
  sql: AnySql,
  partnerId: number,
  key: { readonly keyId: string; readonly publicJwk: PublicJwk },
  purpose: KeyUse["usedAs"],
): Promise<KeyUse | undefined> {
  const db = drizzle(sql);
  const [x, y] = [decodeBase64Url(key.publicJwk.x)!, decodeBase64Url(key.publicJwk.y)!];
  const point = Uint8Array.of(...x, ...y);
  const der =
    expression`decode(regexp_replace(${certificates.pem}, '-----[^-]+-----|\\s', '', 'g'), 'base64')`;
  const owner = { partnerId: partners.partnerId, clientId: partners.clientId };
  const asSigningKey = await db.select(owner).from(signingKeys)
    .innerJoin(partners, eq(partners.partnerId, signingKeys.partnerId))
    .where(eq(signingKeys.keyId, key.keyId));
  const asCertificate = await db.select(owner).from(certificates)
    .innerJoin(partners, eq(partners.partnerId, certificates.partnerId))
    .where(expression`position(${point}::bytea in ${der}) > 0`);
  const uses = [
    ...asSigningKey.map((use) => ({ ...use, usedAs: "signing key" as const })),
    ...asCertificate.map((use) => ({ ...use, usedAs: "certificate" as const })),
  ];
  return uses.find((use) => use.partnerId !== partnerId || use.usedAs !== purpose);
}
