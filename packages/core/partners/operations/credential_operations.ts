import { decodeHex, encodeHex } from "@sabika/protocol";
import type { IssuedCertificate } from "../certificates/issue.ts";
import { readSigningRequest } from "../certificates/signing_request.ts";
import { toMoment } from "../moments.ts";
import { type Done, done, refused } from "../refused.ts";
import { readSigningKey } from "../signing_keys.ts";
import { endOlderTokenKeys, insertTokenKey, TOKEN_KEY_LEAD_MS } from "../token_keys.ts";
import { writeAudit } from "./audit.ts";
import { changePartner, inTransaction, stampRevision } from "./change.ts";
import { addCertificate, addSigningKey } from "./credentials.ts";
import type { Desk } from "./desk.ts";
import { endOf, notAfterNow } from "./operator_clock.ts";

/** Issues one more certificate for a partner; the others go on (Spec §5: several active at once). */
export async function issueCertificate(
  desk: Desk,
  clientId: string,
  csr: string,
): Promise<Done<IssuedCertificate>> {
  const request = await readSigningRequest(csr, clientId);
  if (!request.ok) return request;
  return await changePartner(desk, clientId, "certificate.issue", async (sql, partner) => {
    const value = await addCertificate(sql, desk, partner, request.value);
    return { ok: true, value, audit: { certificate: value.hashHex, serial: value.serial } };
  });
}

/**
 * Revokes a certificate, for good: refused on open connections too within a second (F58).
 *
 * @param which its SHA-256 or serial number in hex, or the beginning of either if no other begins so
 */
export function revokeCertificate(
  desk: Desk,
  clientId: string,
  which: string,
): Promise<Done<{ hashHex: string; serial: string }>> {
  return changePartner(desk, clientId, "certificate.revoke", async (sql, { partnerId }) => {
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
      update certificates set revoked_at = ${notAfterNow(sql, desk.now())}
      where partner_id = ${partnerId} and certificate_hash = ${decodeHex(hashHex)!}`;
    return { ok: true, value: { hashHex, serial }, audit: { certificate: hashHex, serial } };
  });
}

/** Registers one more signing key; the others go on. */
export async function registerSigningKey(
  desk: Desk,
  clientId: string,
  text: string,
): Promise<Done<{ keyId: string }>> {
  const key = await readSigningKey(text);
  if (!key.ok) return key;
  const { keyId } = key.value;
  return await changePartner(desk, clientId, "signing-key.add", async (sql, { partnerId }) => {
    if (!await addSigningKey(sql, desk, partnerId, key.value)) {
      return refused("already_exists", `the partner has the key ${keyId} already`);
    }
    return { ok: true, value: { keyId }, audit: { keyId } };
  });
}

/** Ends a signing key after a while, or now. */
export function retireSigningKey(
  desk: Desk,
  clientId: string,
  keyId: string,
  overlapMs: number,
): Promise<Done<{ keyId: string; endsAtMs: number }>> {
  return changePartner(desk, clientId, "signing-key.retire", async (sql, { partnerId }) => {
    const endsAtMs = desk.now() + overlapMs;
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
export function rotateTokenKey(desk: Desk): Promise<Done<{ keyId: string; signsFromMs: number }>> {
  return inTransaction(desk, async (sql) => {
    const signsFromMs = desk.now() + TOKEN_KEY_LEAD_MS;
    const keyId = await insertTokenKey(sql, desk.secrets, signsFromMs);
    await endOlderTokenKeys(sql, keyId, desk.now());
    await stampRevision(sql, null);
    await writeAudit(sql, desk, "token-key.rotate", null, { keyId });
    return done({ keyId, signsFromMs });
  });
}
