import { type Done, type Refused, refused } from "./refused.ts";
import { type AuditDetail, writeAudit } from "./audit.ts";
import type { Transaction } from "../store/sql.ts";
import type { AdminContext } from "./admin_context.ts";

/** A partner's row, locked for the change. */
export interface LockedPartner {
  partnerId: number;
  clientId: string;
  name: string;
  status: "active" | "suspended";
  settlementIban: string;
  webhookUrl: string | null;
}

/**
 * Carries out a change of the register in one transaction: the change, the register's next revision
 * (which instances poll for), and the audit entry. A refusal rolls all of it back.
 */
export async function changePartner<T>(
  admin: Pick<AdminContext, "database" | "actor" | "now">,
  clientId: string,
  action: string,
  change: (
    sql: Transaction,
    partner: LockedPartner,
  ) => Promise<{ ok: true; value: T; audit: AuditDetail } | Refused>,
): Promise<Done<T>> {
  return await inTransaction(admin, async (sql) => {
    const [partner] = await sql<LockedPartner[]>`
      select partner_id as "partnerId", client_id as "clientId", name, status,
        settlement_iban as "settlementIban", webhook_url as "webhookUrl"
      from partners where client_id = ${clientId} for no key update`;
    if (partner === undefined) return unknownPartner(clientId);
    const result = await change(sql, partner);
    if (!result.ok) return result;
    await stampRevision(sql, partner.partnerId);
    await writeAudit(sql, admin, action, partner.partnerId, result.audit);
    return { ok: true, value: result.value };
  });
}

/** Gives the register its next revision, and stamps the partner with it. */
export async function stampRevision(sql: Transaction, partnerId: number | null): Promise<void> {
  const [row] = await sql<{ revision: bigint }[]>`
    update register_state set revision = revision + 1 returning revision`;
  if (partnerId === null) return;
  await sql`update partners set revision = ${row!.revision} where partner_id = ${partnerId}`;
}

/** Runs a transaction that a refusal rolls back. */
export async function inTransaction<T>(
  admin: Pick<AdminContext, "database">,
  body: (sql: Transaction) => Promise<Done<T>>,
): Promise<Done<T>> {
  let refusal: Refused | undefined;
  const rollback = new Error("refused");
  try {
    return await admin.database.sql.begin(async (sql) => {
      const result = await body(sql);
      if (result.ok) return result;
      refusal = result;
      throw rollback;
    }) as Done<T>;
  } catch (error) {
    if (error === rollback && refusal !== undefined) return refusal;
    throw error;
  }
}

/** The refusal for a client id that nobody has. */
export function unknownPartner(clientId: string): Refused {
  return refused("not_found", `there is no partner "${clientId}"`);
}
