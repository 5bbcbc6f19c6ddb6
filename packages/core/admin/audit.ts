import type { Sql } from "../store/database.ts";
import { fromMoment, toMoment } from "../store/moments.ts";
import type { Transaction } from "../store/sql.ts";
import type { AdminContext } from "./admin_context.ts";

/** What a change says of itself for the audit log: never a secret. */
export type AuditDetail = Record<string, string | number | boolean | null | string[]>;

/** An entry of the audit log: who did what, when, from where. */
export interface AuditEntry {
  auditId: bigint;
  atMs: number;
  who: string;
  from: string;
  action: string;
  clientId: string | null;
  detail: Record<string, unknown>;
}

/** Writes an entry in the transaction of what it tells of. */
export async function writeAudit(
  sql: Transaction,
  admin: Pick<AdminContext, "actor" | "now">,
  action: string,
  partnerId: number | null,
  detail: AuditDetail,
): Promise<void> {
  await sql`
    insert into audit_log (at, actor, action, partner_id, detail)
    values (${toMoment(admin.now())}, ${admin.actor.who}, ${action}, ${partnerId},
      ${JSON.stringify({ from: admin.actor.from, ...detail })})`;
}

/** The newest entries first; of one partner if asked for. */
export async function listAudit(
  sql: Sql,
  options: { limit: number; clientId?: string },
): Promise<AuditEntry[]> {
  const rows = await sql<
    {
      id: bigint;
      at: string;
      actor: string;
      action: string;
      client: string | null;
      detail: string;
    }[]
  >`
    select a.audit_id as id, a.at, a.actor, a.action, p.client_id as client, a.detail
    from audit_log a left join partners p using (partner_id)
    where ${options.clientId ?? null}::text is null or p.client_id = ${options.clientId ?? null}
    order by a.audit_id desc limit ${options.limit}`;
  return rows.map((row) => {
    const { from, ...detail } = JSON.parse(row.detail) as Record<string, unknown>;
    return {
      auditId: row.id,
      atMs: fromMoment(row.at),
      who: row.actor,
      from: String(from ?? ""),
      action: row.action,
      clientId: row.client,
      detail,
    };
  });
}
