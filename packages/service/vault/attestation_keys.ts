import {
  type AttestationKey,
  type AttestationRole,
  type PublicJwk,
  refuse,
} from "@sabika/protocol";
import { and, desc, eq, isNull } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import type { AdminOutcome } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction } from "../audit/change.ts";
import { actIdOf } from "../audit/warrant.ts";
import { attestationKeys } from "./tables.ts";

/** A key of somebody outside, to be registered. */
export interface NewAttestationKey {
  readonly role: AttestationRole;
  /** Whose it is. */
  readonly holder: string;
  /** RFC 7638 thumbprint. */
  readonly keyId: string;
  readonly publicJwk: PublicJwk;
}

/** Registers the key of an inspector or auditor, valid from now on, unless it is somebody's here (Decision D106). */
export function addAttestationKey(
  admin: AdminContext,
  { role, holder, keyId, publicJwk }: NewAttestationKey,
): Promise<AdminOutcome<{ keyId: string }>> {
  return inTransaction<{ keyId: string }>(admin, async (sql) => {
    const [known] = await sql`select from attestation_keys where key_id = ${keyId}
      union all select from operator_keys where key_id = ${keyId}
      union all select from signing_keys where key_id = ${keyId}
      union all select from receipt_keys where key_id = ${keyId}`;
    if (known !== undefined) return refuse("already_exists", `the key ${keyId} is known already`);
    const actId = actIdOf(admin);
    const added = await drizzle(sql).insert(attestationKeys)
      .values({ keyId, role, holder, publicKey: publicJwk, validFrom: admin.now(), actId })
      .onConflictDoNothing().returning({ keyId: attestationKeys.keyId });
    if (added.length === 0) return refuse("already_exists", `the key ${keyId} is known already`);
    await writeAudit(sql, admin, "attestation-key.add", null, { key: keyId, role, holder });
    return { ok: true, value: { keyId } };
  });
}

/** Ends the key of an inspector or auditor now. What it signed before stays valid. */
export function endAttestationKey(admin: AdminContext, keyId: string): Promise<AdminOutcome<null>> {
  return inTransaction<null>(admin, async (sql) => {
    const [ended] = await drizzle(sql).update(attestationKeys).set({ validUntil: admin.now() })
      .where(and(eq(attestationKeys.keyId, keyId), isNull(attestationKeys.validUntil)))
      .returning();
    if (ended === undefined) return refuse("not_found", `no key ${keyId} is valid`);
    const { role, holder } = ended;
    await writeAudit(sql, admin, "attestation-key.end", null, { key: keyId, role, holder });
    return { ok: true, value: null };
  });
}

/** Reads all keys of inspectors and auditors that were ever registered, the newest first. */
export async function readAttestationKeys(sql: AnySql): Promise<AttestationKey[]> {
  const rows = await drizzle(sql).select().from(attestationKeys)
    .orderBy(desc(attestationKeys.validFrom), attestationKeys.keyId);
  return rows.map(({ keyId, role, holder, publicKey: { x, y }, validFrom, validUntil }) => ({
    keyId,
    role,
    holder,
    x,
    y,
    validFromMs: validFrom,
    validUntilMs: validUntil,
  }));
}
