import { and, eq, isNotNull, isNull, sql as expression } from "drizzle-orm";
import { drizzle, type Transaction } from "@sabika/database";
import { authorities, authorityIdentity } from "@sabika/identity/certificates";
import { receiptKeyIdentity, receiptKeys } from "@sabika/identity/receipts";
import {
  type KeyService,
  sealedKeyIdentity,
  sealedKeyRow,
  sealedKeys,
  sealedWith,
} from "@sabika/identity/secrets";
import { tokenKeyIdentity, tokenKeys } from "@sabika/identity/tokens";
import type { AdminOutcome } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction, stampRevision } from "../audit/change.ts";
import { webhookSecrets } from "../partners/tables.ts";
import { webhookSecretIdentity } from "../partners/webhook_secrets.ts";

/**
 * Reseals everything under the current key, in one transaction. What the keys protect stays
 * the same, so nothing changes for partners. Instances that read their master keys from the same
 * file find the new one there.
 *
 * @param keys the new key is the current one; the others open what is still sealed with them
 * @param action the act's name in the audit log
 * @returns how many values were resealed
 */
export function resealAll(
  admin: AdminContext,
  keys: KeyService,
  action: "master-key.rotate" | "master-key.reseal",
): Promise<AdminOutcome<{ resealed: number }>> {
  return inTransaction(admin, async (sql) => {
    let resealed = 0;
    async function reseal(identity: string, sealed: Uint8Array): Promise<Uint8Array | undefined> {
      if (keys.isCurrent(sealed)) return undefined;
      resealed += 1;
      return await keys.seal(identity, await keys.open(identity, sealed));
    }
    await resealRows(sql, reseal);
    await stampRevision(sql, null);
    await writeAudit(sql, admin, action, null, { masterKey: keys.currentId, resealed });
    return { ok: true, value: { resealed } };
  });
}

async function resealRows(
  sql: Transaction,
  reseal: (identity: string, sealed: Uint8Array) => Promise<Uint8Array | undefined>,
): Promise<void> {
  const db = drizzle(sql);
  for (const { name, sealed: old } of await db.select().from(sealedKeys).for("update")) {
    const sealed = await reseal(sealedKeyIdentity(name), old);
    if (sealed === undefined) continue;
    await db.update(sealedKeys).set(sealedKeyRow(name, sealed)).where(eq(sealedKeys.name, name));
  }
  for (const { name, sealedPrivateKey: old } of await db.select().from(authorities).for("update")) {
    const sealedPrivateKey = old && await reseal(authorityIdentity(name), old);
    if (!sealedPrivateKey) continue;
    await db.update(authorities).set({ sealedPrivateKey }).where(eq(authorities.name, name));
  }
  for (const { keyId, sealedPrivateKey: old } of await db.select().from(tokenKeys).for("update")) {
    const sealedPrivateKey = await reseal(tokenKeyIdentity(keyId), old);
    if (sealedPrivateKey === undefined) continue;
    await db.update(tokenKeys).set({ sealedPrivateKey }).where(eq(tokenKeys.keyId, keyId));
  }
  const signing = db.select().from(receiptKeys).where(isNull(receiptKeys.validUntil)).for("update");
  for (const { keyId, sealedPrivateKey: old } of await signing) {
    const sealedPrivateKey = await reseal(receiptKeyIdentity(keyId), old!);
    if (sealedPrivateKey === undefined) continue;
    await db.update(receiptKeys).set({ sealedPrivateKey }).where(eq(receiptKeys.keyId, keyId));
  }
  for (const row of await db.select().from(webhookSecrets).for("update")) {
    const { partnerId, secretId } = row;
    const sealedSecret = await reseal(webhookSecretIdentity(partnerId, secretId), row.sealedSecret);
    if (sealedSecret === undefined) continue;
    await db.update(webhookSecrets).set({ sealedSecret })
      .where(and(eq(webhookSecrets.partnerId, partnerId), eq(webhookSecrets.secretId, secretId)));
  }
}

/** Counts the values that each master key seals, by the key's id. */
export async function countSealed(
  admin: Pick<AdminContext, "database">,
): Promise<Map<string, number>> {
  const db = drizzle(admin.database.sql);
  const rows = await db.select({ sealed: sealedKeys.sealed }).from(sealedKeys)
    .unionAll(
      db.select({ sealed: expression<Uint8Array>`${authorities.sealedPrivateKey}` })
        .from(authorities).where(isNotNull(authorities.sealedPrivateKey)),
    )
    .unionAll(db.select({ sealed: tokenKeys.sealedPrivateKey }).from(tokenKeys))
    .unionAll(
      db.select({ sealed: expression<Uint8Array>`${receiptKeys.sealedPrivateKey}` })
        .from(receiptKeys).where(isNotNull(receiptKeys.sealedPrivateKey)),
    )
    .unionAll(db.select({ sealed: webhookSecrets.sealedSecret }).from(webhookSecrets));
  const counts = new Map<string, number>();
  for (const { sealed } of rows) {
    const id = sealedWith(sealed);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}
