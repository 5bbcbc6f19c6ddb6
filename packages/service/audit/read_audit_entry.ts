import type { Environment } from "@sabika/protocol";
import type { Sql } from "@sabika/database";
import { type AuditEntry, listAudit } from "./audit.ts";
import { type EntrySignature, readSignatures } from "./read_signatures.ts";

/** An entry of the audit log with its signature. */
export interface SignedEntry extends AuditEntry {
  /** Null: nobody signed it. */
  readonly signature: EntrySignature | null;
}

/**
 * Reads an audit entry by its number and verifies its signature; undefined when there is no such entry.
 *
 * @param environment the deployment's, which signed content names
 */
export async function readAuditEntry(
  sql: Sql,
  environment: Environment,
  auditId: bigint,
): Promise<SignedEntry | undefined> {
  const [entry] = await listAudit(sql, { beforeId: auditId + 1n, limit: 1 });
  if (entry?.auditId !== auditId) return undefined;
  const signatures = await readSignatures(sql, environment, [entry]);
  return { ...entry, signature: signatures.get(auditId) ?? null };
}
