import {
  type AttestationKey,
  formatTime,
  refuse,
  type Reserve,
  type ReserveFault,
  verifyReserve,
} from "@sabika/protocol";
import type { AnySql } from "@sabika/database";
import type { AdminOutcome, AdminRefusal } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction } from "../audit/change.ts";
import { readAttestationKeys } from "../vault/attestation_keys.ts";
import { findReserve } from "./read_reserves.ts";

/** Whose attestation a reserve has (Decision D107). */
export interface Attested {
  /** `2026-11-20`, in Riyadh. */
  readonly day: string;
  /** Whose key it is. */
  readonly holder: string;
  /** RFC 7638 thumbprint. */
  readonly keyId: string;
}

/** A reserve and whose key attests it, or why the attestation does not count. */
export type CheckedAttestation =
  | { readonly ok: true; readonly reserve: Reserve; readonly hash: string; key: AttestationKey }
  | AdminRefusal;

/**
 * Checks an auditor's attestation of the kept reserve of a day, as the database does: by a key that has not ended.
 *
 * @param signature compact JWS of type `sabika-attestation`
 */
export async function checkAttestation(
  sql: AnySql,
  { day, signature }: { readonly day: string; readonly signature: string },
): Promise<CheckedAttestation> {
  const kept = await findReserve(sql, day);
  if (kept === undefined) return refuse("not_found", `there is no reserve of ${day}`);
  const { text, hash } = kept;
  const attestationKeys = await readAttestationKeys(sql);
  const given = { text, attestation: signature, attestationKeys };
  const { reserve, faults, attestedBy } = await verifyReserve(given);
  const says = faults.map((fault) => SAYS[fault]).find((text) => text !== undefined);
  if (says !== undefined) return refuse("signature_invalid", says);
  if (attestedBy!.validUntilMs !== null) return refuse("signature_invalid", ENDED);
  return { ok: true, reserve: reserve!, hash, key: attestedBy! };
}

const ENDED = "the key that signed the attestation has ended";

const SAYS: Readonly<Partial<Record<ReserveFault, string>>> = {
  attestation_malformed: "this is no auditor's attestation of a reserve",
  attestation_wrong_algorithm: "the attestation is not signed with ES256",
  attestation_unknown_key: "no registered key signed the attestation",
  attestation_altered: "the attestation was changed after it was signed",
  attestation_other_role: "the key that signed the attestation is not an auditor's",
  attestation_key_ended: ENDED,
  attestation_other_reserve: "another reserve was attested",
};

/** Records that an auditor from outside attested the reserve of a day, once (Decision D107). */
export function attestReserve(
  admin: AdminContext,
  day: string,
  signature: string,
): Promise<AdminOutcome<Attested>> {
  return inTransaction<Attested>(admin, async (sql) => {
    // No key ends until this is recorded.
    await sql`select from attestation_keys for share`;
    const checked = await checkAttestation(sql, { day, signature });
    if (!checked.ok) return checked;
    const { hash, key: { keyId, holder } } = checked;
    const [added] = await sql`
      insert into reserve_attestations (day, key_id, jws, attested_at)
      values (${day}::text::date, ${keyId}, ${signature}, ${formatTime(admin.now())}::timestamptz)
      on conflict do nothing returning day`;
    if (added === undefined) {
      return refuse("already_exists", `an auditor attested the reserve of ${day} before`);
    }
    await writeAudit(sql, admin, "reserve.attest", null, { day, key: keyId, holder, sha256: hash });
    return { ok: true, value: { day, holder, keyId } };
  });
}
