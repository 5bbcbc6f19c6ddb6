import { decodeBase64Url, refuse } from "@sabika/protocol";
import { eq, sql as expression } from "drizzle-orm";
import { drizzle, type Transaction } from "@sabika/database";
import type { SigningKey } from "@sabika/identity/certificates";
import { certificates, partners, registerState, signingKeys } from "@sabika/service/partners";
import type { AdminRefusal } from "@sabika/terms";

/**
 * Refuses a key that another partner has, or that the partner itself has for the other purpose, now
 * or at any time before: one key, one partner, one purpose (Decision D70). A new certificate may
 * have the key of an earlier certificate of the partner. Undefined when the key is free.
 *
 * It locks the register's revision, so that two transactions cannot both register the key.
 */
export async function refuseKeyInUse(
  sql: Transaction,
  partnerId: number,
  key: SigningKey,
  purpose: "certificate" | "signing key",
): Promise<AdminRefusal | undefined> {
  const db = drizzle(sql);
  await db.select().from(registerState).for("update");
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
    ...asSigningKey.map((use) => ({ ...use, usedAs: "signing key" })),
    ...asCertificate.map((use) => ({ ...use, usedAs: "certificate" })),
  ];
  const use = uses.find((use) => use.partnerId !== partnerId || use.usedAs !== purpose);
  if (use === undefined) return undefined;
  const { clientId, usedAs } = use;
  const place = usedAs === "certificate" ? "in a certificate" : "a signing key";
  return refuse(
    "key_in_use",
    `this key is ${place} of "${clientId}": make a new one for the ${purpose}`,
  );
}
