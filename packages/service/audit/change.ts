import { refuse } from "@sabika/protocol";
import { eq, sql as expression } from "drizzle-orm";
import { drizzle, type Transaction } from "@sabika/database";
import type { ActName, AdminOutcome, AdminRefusal } from "@sabika/terms";
import { registerState } from "../partners/register_tables.ts";
import { partners } from "../partners/tables.ts";
import type { AdminContext } from "./admin_context.ts";
import { type AuditDetail, writeAudit } from "./audit.ts";

/** A partner's row, locked for the change. */
export type LockedPartner = typeof partners.$inferSelect;

/**
 * Carries out a change of the register in one transaction: the change, the register's next revision
 * (which instances poll for), and the audit entry. A refusal, as of an unknown partner, undoes it all.
 */
export async function changePartner<T>(
  admin: Pick<AdminContext, "database" | "actor" | "now" | "warrant" | "transaction">,
  clientId: string,
  action: ActName,
  change: (
    sql: Transaction,
    partner: LockedPartner,
  ) => Promise<{ ok: true; value: T; audit: AuditDetail } | AdminRefusal>,
): Promise<AdminOutcome<T>> {
  return await inTransaction(admin, async (sql) => {
    const [partner] = await drizzle(sql).select().from(partners)
      .where(eq(partners.clientId, clientId)).for("no key update");
    if (partner === undefined) return unknownPartner(clientId);
    const result = await change(sql, partner);
    if (!result.ok) return result;
    await stampRevision(sql, partner.partnerId);
    await writeAudit(sql, admin, action, partner.partnerId, result.audit);
    return { ok: true, value: result.value };
  });
}

/** Advances the register's revision and sets it on the partner, if there is one. */
export async function stampRevision(sql: Transaction, partnerId: number | null): Promise<void> {
  const [row] = await drizzle(sql).update(registerState)
    .set({ revision: expression`${registerState.revision} + 1` }).returning();
  if (partnerId === null) return;
  const { revision } = row!;
  await drizzle(sql).update(partners).set({ revision }).where(eq(partners.partnerId, partnerId));
}

/**
 * Runs `body` in a transaction, which a refusal rolls back. When `admin` has a transaction, `body` runs
 * in that, and the caller rolls it back.
 */
export async function inTransaction<T>(
  admin: Pick<AdminContext, "database" | "transaction">,
  body: (sql: Transaction) => Promise<AdminOutcome<T>>,
): Promise<AdminOutcome<T>> {
  if (admin.transaction !== undefined) return await body(admin.transaction);
  let refusal: AdminRefusal | undefined;
  const rollback = new Error("refused");
  try {
    return await admin.database.sql.begin(async (sql) => {
      const result = await body(sql);
      if (result.ok) return result;
      refusal = result;
      throw rollback;
    }) as AdminOutcome<T>;
  } catch (error) {
    if (error === rollback) return refusal!;
    throw error;
  }
}

/** Makes the refusal for a client id that nobody has. */
export function unknownPartner(clientId: string): AdminRefusal {
  return refuse("not_found", `there is no partner "${clientId}"`);
}
