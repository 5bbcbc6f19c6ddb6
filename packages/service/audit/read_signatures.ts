import { type Environment, importPublicJwk } from "@sabika/protocol";
import { eq, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle, plainArray } from "@sabika/database";
import { isSignedBy } from "@sabika/identity/signatures";
import type { AuditEntry } from "./audit.ts";
import { acts, operatorKeys, operators } from "./people_tables.ts";
import { signedActOf } from "./warrant.ts";

/** The signature of an entry of the audit log. */
export interface EntrySignature {
  /** RFC 7638 thumbprint. */
  readonly keyId: string;
  /** The host that a passkey is bound to; null for another key. */
  readonly rpId: string | null;
  /** Whether the key is the named person's, and signed exactly the act that is recorded. */
  readonly fits: boolean;
  /** The lines of the dossier that was signed (Decision D96); null where none was. */
  readonly dossier: readonly object[] | null;
}

/**
 * Reads and verifies the signatures of entries, by the entries' numbers; unsigned entries are left out.
 * `environment` is the deployment's. `verifyAudit` also checks the order and who owned each key then.
 */
export async function readSignatures(
  sql: AnySql,
  environment: Environment,
  entries: readonly AuditEntry[],
): Promise<Map<bigint, EntrySignature>> {
  const ids = entries.flatMap(({ detail }) =>
    typeof detail["act"] === "string" ? detail["act"] : []
  );
  if (ids.length === 0) return new Map();
  const rows = await drizzle(sql).select({ act: acts, key: operatorKeys, name: operators.name })
    .from(acts)
    .innerJoin(operatorKeys, eq(operatorKeys.keyId, acts.keyId))
    .innerJoin(operators, eq(operators.operatorId, acts.operatorId))
    .where(expression`${acts.actId} = any(${plainArray(ids)}::uuid[])`);
  const byAct = new Map(rows.map((row) => [row.act.actId, row]));
  const found = new Map<bigint, EntrySignature>();
  for (const { auditId, who, detail } of entries) {
    const row = byAct.get(String(detail["act"]));
    if (row === undefined) continue;
    const { act, key: { keyId, rpId, publicJwk }, name } = row;
    const imported = await importPublicJwk(publicJwk);
    const fits = imported.ok && name === who && detail["signature"] === act.signature &&
      await isSignedBy({ keyId, rpId, publicKey: imported.key }, environment, signedActOf(act));
    const { dossier } = JSON.parse(act.arguments) as { dossier?: unknown };
    const lines = Array.isArray(dossier) ? dossier as readonly object[] : null;
    found.set(auditId, { keyId, rpId, fits, dossier: lines });
  }
  return found;
}
