import { refuse } from "@sabika/protocol";
import { drizzle, type Transaction } from "@sabika/database";
import type { SigningKey } from "@sabika/identity/certificates";
import { findKeyUse } from "@sabika/service/credentials";
import { registerState } from "@sabika/service/partners";
import type { AdminRefusal } from "@sabika/terms";

/**
 * Refuses a key that is in use elsewhere (Decision D70); undefined when it is free. It locks the register's
 * revision, so that two transactions cannot both register the key.
 */
export async function refuseKeyInUse(
  sql: Transaction,
  partnerId: number,
  key: SigningKey,
  purpose: "certificate" | "signing key",
): Promise<AdminRefusal | undefined> {
  await drizzle(sql).select().from(registerState).for("update");
  const use = await findKeyUse(sql, partnerId, key, purpose);
  if (use === undefined) return undefined;
  const { clientId, usedAs } = use;
  const place = usedAs === "certificate" ? "in a certificate" : "a signing key";
  return refuse(
    "key_in_use",
    `this key is ${place} of "${clientId}": make a new one for the ${purpose}`,
  );
}
