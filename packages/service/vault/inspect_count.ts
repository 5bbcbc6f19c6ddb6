import {
  type AttestationKey,
  type CountFault,
  encodeUtf8,
  type PoolCount,
  refuse,
  sha256Hex,
  verifyCount,
} from "@sabika/protocol";
import { type AnySql, drizzle } from "@sabika/database";
import { type AdminOutcome, type AdminRefusal, UUID } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction } from "../audit/change.ts";
import { readAttestationKeys } from "./attestation_keys.ts";
import type { Inspection } from "./find_inspection.ts";
import { findCount } from "./read_counts.ts";
import { attestationKeys, vaultCountSignatures } from "./tables.ts";

/** A count and whose key signed it, or why the signature does not count. */
export type CheckedInspection =
  | { readonly ok: true; readonly count: PoolCount; readonly key: AttestationKey; text: string }
  | AdminRefusal;

/**
 * Checks an inspector's signature under a count, as the database does.
 *
 * @param keys all that were registered; those that have ended sign no more
 */
export async function checkInspection(
  sql: AnySql,
  { countId, signature, keys }: {
    readonly countId: string;
    readonly signature: string;
    readonly keys: readonly AttestationKey[];
  },
): Promise<CheckedInspection> {
  const known = UUID.test(countId) ? await findCount(sql, countId) : undefined;
  if (known === undefined) return refuse("not_found", `there is no count ${countId}`);
  const { text } = known;
  if (text === null) {
    return refuse("invalid_state", `the count ${countId} names no pool: an inspector signs one`);
  }
  const { count, key, faults: [fault] } = await verifyCount({ jws: signature, keys, text });
  if (fault !== undefined) return refuse("signature_invalid", SAYS[fault]);
  if (key!.validUntilMs !== null) return refuse("signature_invalid", SAYS.key_ended);
  return { ok: true, count: count!, key: key!, text };
}

const SAYS: Readonly<Record<CountFault, string>> = {
  malformed: "this is no inspector's signature under a count",
  wrong_algorithm: "the count is not signed with ES256",
  unknown_key: "no registered key signed the count",
  altered: "the count was changed after it was signed",
  other_role: "the key that signed the count is not an inspector's",
  key_ended: "the key that signed the count has ended",
  other_count: "another count was signed",
};

/** Records that an inspector from outside signed a count, once (Decision D106). */
export function inspectCount(
  admin: AdminContext,
  countId: string,
  signature: string,
): Promise<AdminOutcome<Inspection>> {
  return inTransaction<Inspection>(admin, async (sql) => {
    // No key ends until this is recorded.
    await drizzle(sql).select().from(attestationKeys).for("share");
    const keys = await readAttestationKeys(sql);
    const checked = await checkInspection(sql, { countId, signature, keys });
    if (!checked.ok) return checked;
    const { keyId, holder } = checked.key;
    const inspectedAtMs = admin.now();
    const added = await drizzle(sql).insert(vaultCountSignatures)
      .values({ countId, keyId, jws: signature, inspectedAt: inspectedAtMs })
      .onConflictDoNothing().returning({ countId: vaultCountSignatures.countId });
    if (added.length === 0) {
      return refuse("already_exists", `an inspector signed the count ${countId} before`);
    }
    await writeAudit(sql, admin, "vault.count.inspect", null, {
      count: countId,
      key: keyId,
      holder,
      sha256: await sha256Hex(encodeUtf8(checked.text)),
    });
    return { ok: true, value: { holder, keyId, signature, inspectedAtMs } };
  });
}
