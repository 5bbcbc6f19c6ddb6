import { authorityIdentity } from "../certificates/authorities.ts";
import { sealedKeyIdentity } from "../secrets/create_secrets.ts";
import type { MasterKeys } from "../secrets/master_keys.ts";
import { open, seal, sealedWith } from "../secrets/seal.ts";
import { tokenKeyIdentity } from "../token_keys.ts";
import type { Transaction } from "../../store/sql.ts";
import { type Done, done } from "../../admin/refused.ts";
import { webhookSecretIdentity } from "../webhook_secrets.ts";
import { writeAudit } from "../../admin/audit.ts";
import { inTransaction, stampRevision } from "../../admin/change.ts";
import type { AdminContext } from "../../admin/admin_context.ts";

/**
 * Seals everything again under the current master key, in one transaction. What the keys protect stays
 * the same, so nothing of a partner changes. Instances that read their master keys from the same file
 * find the new one there by themselves.
 *
 * @param masterKeys the new key first, and all that values may still be sealed with
 * @returns how many values were sealed again
 */
export function resealAll(
  admin: AdminContext,
  masterKeys: MasterKeys,
): Promise<Done<{ resealed: number }>> {
  return inTransaction(admin, async (sql) => {
    let resealed = 0;
    async function again(identity: string, sealed: Uint8Array): Promise<Uint8Array | undefined> {
      if (sealedWith(sealed) === masterKeys.currentId) return undefined;
      resealed += 1;
      const plain = await open(masterKeys, identity, sealed);
      return await seal(masterKeys, admin.random, identity, plain);
    }
    await resealNamed(sql, masterKeys.currentId, again);
    for (
      const row of await sql<{ partnerId: number; id: string; sealed: Uint8Array }[]>`
        select partner_id as "partnerId", secret_id as id, sealed_secret as sealed
        from webhook_secrets for update`
    ) {
      const value = await again(webhookSecretIdentity(row.partnerId, row.id), row.sealed);
      if (value === undefined) continue;
      await sql`
        update webhook_secrets set sealed_secret = ${value}
        where partner_id = ${row.partnerId} and secret_id = ${row.id}`;
    }
    await stampRevision(sql, null);
    await writeAudit(sql, admin, "master-key.rotate", null, {
      masterKey: masterKeys.currentId,
      resealed,
    });
    return done({ resealed });
  });
}

async function resealNamed(
  sql: Transaction,
  currentId: string,
  again: (identity: string, sealed: Uint8Array) => Promise<Uint8Array | undefined>,
): Promise<void> {
  type Row = { name: string; sealed: Uint8Array };
  for (const row of await sql<Row[]>`select name, sealed from sealed_keys for update`) {
    const value = await again(sealedKeyIdentity(row.name), row.sealed);
    if (value === undefined) continue;
    await sql`
      update sealed_keys set sealed = ${value}, master_key_id = ${currentId}
      where name = ${row.name}`;
  }
  for (
    const row of await sql<Row[]>`
      select name, sealed_private_key as sealed from authorities for update`
  ) {
    const value = await again(authorityIdentity(row.name), row.sealed);
    if (value === undefined) continue;
    await sql`update authorities set sealed_private_key = ${value} where name = ${row.name}`;
  }
  for (
    const row of await sql<Row[]>`
      select key_id as name, sealed_private_key as sealed from token_keys for update`
  ) {
    const value = await again(tokenKeyIdentity(row.name), row.sealed);
    if (value === undefined) continue;
    await sql`update token_keys set sealed_private_key = ${value} where key_id = ${row.name}`;
  }
}

/** The ids of the master keys that values are sealed with, and how many with each. */
export async function countSealed(
  admin: Pick<AdminContext, "database">,
): Promise<Map<string, number>> {
  const rows = await admin.database.sql<{ sealed: Uint8Array }[]>`
    select sealed from sealed_keys union all
    select sealed_private_key from authorities union all
    select sealed_private_key from token_keys union all
    select sealed_secret from webhook_secrets`;
  const counts = new Map<string, number>();
  for (const { sealed } of rows) {
    const id = sealedWith(sealed);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}
