import { and, desc, eq, lt } from "drizzle-orm";
import type { Sql } from "../store/database.ts";
import { drizzle } from "../store/drizzle.ts";
import { auditLog, partners } from "../store/schema/mod.ts";
import type { Transaction } from "../store/sql.ts";
import type { AdminContext } from "./admin_context.ts";
import type { AuditAction } from "./rights.ts";
import { recordWarrant } from "./warrant.ts";

/** The details of an audit entry: never a secret. */
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

/** Writes an entry, and what the act stands on, in the transaction of the act that it records. */
export async function writeAudit(
  sql: Transaction,
  admin: Pick<AdminContext, "actor" | "now" | "warrant">,
  action: AuditAction,
  partnerId: number | null,
  detail: AuditDetail,
): Promise<void> {
  const { who, from } = admin.actor;
  const warrant = await recordWarrant(sql, admin.warrant);
  await drizzle(sql).insert(auditLog).values({
    at: admin.now(),
    actor: who,
    action,
    partnerId,
    detail: JSON.stringify({ from, ...detail, ...warrant }),
  });
}

/** Lists entries, newest first: of all partners or one, all or those before an entry. */
export async function listAudit(
  sql: Sql,
  options: { limit: number; clientId?: string; beforeId?: bigint },
): Promise<AuditEntry[]> {
  const { clientId, limit, beforeId } = options;
  const rows = await drizzle(sql).select({ entry: auditLog, clientId: partners.clientId })
    .from(auditLog).leftJoin(partners, eq(partners.partnerId, auditLog.partnerId))
    .where(and(
      clientId === undefined ? undefined : eq(partners.clientId, clientId),
      beforeId === undefined ? undefined : lt(auditLog.auditId, beforeId),
    ))
    .orderBy(desc(auditLog.auditId)).limit(limit);
  return rows.map(({ entry, clientId }) => {
    const { from, ...detail } = JSON.parse(entry.detail) as Record<string, unknown>;
    return {
      auditId: entry.auditId,
      atMs: entry.at,
      who: entry.actor,
      from: String(from ?? ""),
      action: entry.action,
      clientId,
      detail,
    };
  });
}
