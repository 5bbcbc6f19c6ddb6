import { and, desc, eq, gte, lt } from "drizzle-orm";
import { drizzle, type Sql, type Transaction } from "@sabika/database";
import type { AuditAction } from "@sabika/terms";
import { partners } from "../partners/tables.ts";
import type { AdminContext } from "./admin_context.ts";
import { auditLog } from "./audit_log_tables.ts";
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

/** Writes an entry with the act's warrant in the act's transaction; `partnerId` is null for no partner. */
export async function writeAudit(
  sql: Transaction,
  admin: Pick<AdminContext, "actor" | "now" | "warrant" | "isTrial">,
  action: AuditAction,
  partnerId: number | null,
  detail: AuditDetail,
): Promise<void> {
  if (admin.isTrial === true) return;
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

/** Which entries are listed; an undefined member does not filter. */
export interface AuditFilter {
  readonly limit: number;
  readonly clientId?: string | undefined;
  /** Lists entries before this number. */
  readonly beforeId?: bigint | undefined;
  readonly who?: string | undefined;
  readonly action?: string | undefined;
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
}

/** Lists entries, newest first; `clientId` is null where an entry concerns no partner. */
export async function listAudit(
  sql: Sql,
  { clientId, limit, beforeId, who, action, fromMs, toMs }: AuditFilter,
): Promise<AuditEntry[]> {
  const rows = await drizzle(sql).select({ entry: auditLog, clientId: partners.clientId })
    .from(auditLog).leftJoin(partners, eq(partners.partnerId, auditLog.partnerId))
    .where(and(
      clientId === undefined ? undefined : eq(partners.clientId, clientId),
      beforeId === undefined ? undefined : lt(auditLog.auditId, beforeId),
      who === undefined ? undefined : eq(auditLog.actor, who),
      action === undefined ? undefined : eq(auditLog.action, action),
      fromMs === undefined ? undefined : gte(auditLog.at, fromMs),
      toMs === undefined ? undefined : lt(auditLog.at, toMs),
    ))
    .orderBy(desc(auditLog.auditId)).limit(limit);
  return rows.map(({ entry, clientId }) => {
    const { from, rows_sha256: _, ...detail } = JSON.parse(entry.detail) as Record<
      string,
      unknown
    >;
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
