import { decodeHex, encodeHex } from "@sabika/protocol";
import type { IssuedCertificate } from "../certificates/issue.ts";
import { readSigningRequest } from "../certificates/signing_request.ts";
import { toMoment } from "../../store/moments.ts";
import { type Done, done, refused } from "../../admin/refused.ts";
import { readSigningKey } from "../signing_keys.ts";
import { endOlderTokenKeys, insertTokenKey, TOKEN_KEY_LEAD_MS } from "../token_keys.ts";
import { writeAudit } from "../../admin/audit.ts";
import { changePartner, inTransaction, stampRevision } from "../../admin/change.ts";
import { addCertificate, addSigningKey } from "./credentials.ts";
import type { PartnerAdminContext } from "../partner_admin_context.ts";
import { endOf, notAfterNow } from "../../admin/operator_clock.ts";

/** Issues one more certificate for a partner; the others go on (Spec §5: several active at once). */
export async function issueCertificate(
  admin: PartnerAdminContext,
  clientId: string,
  csr: string,
): Promise<Done<IssuedCertificate>> {
  const request = await readSigningRequest(csr, clientId);
  if (!request.ok) return request;
  return await changePartner(admin, clientId, "certificate.issue", async (sql, partner) => {
    const value = await addCertificate(sql, admin, partner, request.value);
    return { ok: true, value, audit: { certificate: value.hashHex, serial: value.serial } };
  });
}

/**
 * Revokes a certificate, for good: refused on open connections too within a second (F58).
 *
 * @param which its SHA-256 or serial number in hex, or the beginning of either if no other begins so
 */
export function revokeCertificate(
  admin: PartnerAdminContext,
  clientId: string,
  which: string,
): Promise<Done<{ hashHex: string; serial: string }>> {
  return changePartner(admin, clientId, "certificate.revoke", async (sql, { partnerId }) => {
    const wanted = which.toLowerCase().replaceAll(":", "");
    const rows = await sql<{ hash: Uint8Array; serial: string; revokedAt: string | null }[]>`
      select certificate_hash as hash, serial, revoked_at as "revokedAt"
      from certificates where partner_id = ${partnerId}`;
    const found = rows.map((row) => ({ ...row, hashHex: encodeHex(row.hash) })).filter((row) =>
      wanted.length >= 4 && (row.hashHex.startsWith(wanted) || row.serial.startsWith(wanted))
    );
    const [certificate, another] = found;
    if (certificate === undefined || another !== undefined) {
      const count = another === undefined ? "no" : "more than one";
      return refused("not_found", `${count} certificate of "${clientId}" begins with "${which}"`);
    }
    const { hashHex, serial } = certificate;
    if (certificate.revokedAt !== null) {
      return refused("invalid_state", `the certificate ${serial} was revoked before`);
    }
    await sql`
      update certificates set revoked_at = ${notAfterNow(sql, admin.now())}
      where partner_id = ${partnerId} and certificate_hash = ${decodeHex(hashHex)!}`;
    return { ok: true, value: { hashHex, serial }, audit: { certificate: hashHex, serial } };
  });
}

/** Registers one more signing key; the others go on. */
export async function registerSigningKey(
  admin: PartnerAdminContext,
  clientId: string,
  text: string,
): Promise<Done<{ keyId: string }>> {
  const key = await readSigningKey(text);
  if (!key.ok) return key;
  const { keyId } = key.value;
  return await changePartner(admin, clientId, "signing-key.add", async (sql, { partnerId }) => {
    if (!await addSigningKey(sql, admin, partnerId, key.value)) {
      return refused("already_exists", `the partner has the key ${keyId} already`);
    }
    return { ok: true, value: { keyId }, audit: { keyId } };
  });
}

/** Ends a signing key after a while, or now. */
export function retireSigningKey(
  admin: PartnerAdminContext,
  clientId: string,
  keyId: string,
  overlapMs: number,
): Promise<Done<{ keyId: string; endsAtMs: number }>> {
  return changePartner(admin, clientId, "signing-key.retire", async (sql, { partnerId }) => {
    const endsAtMs = admin.now() + overlapMs;
    const end = endOf(sql, endsAtMs - overlapMs, overlapMs);
    const rows = await sql`
      update signing_keys set valid_until = ${end} where partner_id = ${partnerId}
        and key_id = ${keyId} and (valid_until is null or valid_until > ${end})`;
    if (rows.count === 0) {
      return refused("not_found", `"${clientId}" has no signing key ${keyId} that lasts so long`);
    }
    const audit = { keyId, endsAt: toMoment(endsAtMs) };
    return { ok: true, value: { keyId, endsAtMs }, audit };
  });
}

/** A new key for access tokens; it signs as soon as every instance knows it, the old ones verify on. */
export function rotateTokenKey(
  admin: PartnerAdminContext,
): Promise<Done<{ keyId: string; signsFromMs: number }>> {
  return inTransaction(admin, async (sql) => {
    const signsFromMs = admin.now() + TOKEN_KEY_LEAD_MS;
    const keyId = await insertTokenKey(sql, admin.secrets, signsFromMs);
    await endOlderTokenKeys(sql, keyId, admin.now());
    await stampRevision(sql, null);
    await writeAudit(sql, admin, "token-key.rotate", null, { keyId });
    return done({ keyId, signsFromMs });
  });
}
