import {
  ACCESS_TOKEN_SECONDS,
  encodeHex,
  formatScopes,
  formatTime,
  refuse,
} from "@sabika/protocol";
import { eq } from "drizzle-orm";
import { drizzle, type Transaction } from "@sabika/database";
import {
  type IssuedCertificate,
  readSigningKeyOf,
  readSigningRequest,
} from "@sabika/identity/certificates";
import { renewReceiptKey } from "@sabika/identity/receipts";
import {
  endOlderTokenKeys,
  insertTokenKey,
  revokeToken,
  TOKEN_KEY_LEAD_MS,
} from "@sabika/identity/tokens";
import {
  type AuditDetail,
  changePartner,
  inTransaction,
  notAfterNow,
  stampRevision,
  writeAudit,
} from "@sabika/service/audit";
import { certificates, signingKeys } from "@sabika/service/partners";
import { type AdminOutcome, UUID } from "@sabika/terms";
import {
  addCertificate,
  addSigningKey,
  type CertificateTerms,
  endCredentials,
  termsColumns,
} from "./credentials.ts";
import type { PartnerAdminContext } from "./partner_admin_context.ts";

/** Issues a further certificate; the partner's others stay valid (Spec §5: several at once). */
export async function issueCertificate(
  admin: PartnerAdminContext,
  clientId: string,
  csr: string,
  terms: CertificateTerms = {},
): Promise<AdminOutcome<IssuedCertificate>> {
  const request = await readSigningRequest(csr, clientId);
  if (!request.ok) return request;
  return await changePartner(admin, clientId, "certificate.issue", async (sql, partner) => {
    const issued = await addCertificate(sql, admin, partner, request.value, terms);
    if (!issued.ok) return issued;
    const { value } = issued;
    const audit = { certificate: value.hashHex, serial: value.serial, ...termsAudit(terms) };
    return { ok: true, value, audit };
  });
}

/**
 * Changes what tokens bound to a certificate may allow, and whether it authenticates the client
 * alone. Within a second this applies to tokens issued before, too.
 *
 * @param prefix as for `revokeCertificate`
 */
export function updateCertificate(
  admin: PartnerAdminContext,
  clientId: string,
  prefix: string,
  terms: CertificateTerms,
): Promise<AdminOutcome<{ hashHex: string; serial: string }>> {
  return changePartner(admin, clientId, "certificate.update", async (sql, { partnerId }) => {
    const found = await findCertificate(sql, { partnerId, clientId, prefix });
    if (!found.ok) return found;
    const { certificateHash, hashHex, serial } = found.value;
    await drizzle(sql).update(certificates).set(termsColumns(terms))
      .where(eq(certificates.certificateHash, certificateHash));
    const audit = { certificate: hashHex, serial, ...termsAudit(terms) };
    return { ok: true, value: { hashHex, serial }, audit };
  });
}

function termsAudit({ tokenAuth, scopes }: CertificateTerms): AuditDetail {
  return {
    ...(tokenAuth === undefined ? {} : { tokenAuth }),
    ...(scopes === undefined ? {} : { scope: formatScopes(scopes) }),
  };
}

/**
 * Revokes a certificate for good. Within a second it is refused on open connections too (F58).
 *
 * @param prefix the first four or more hex digits of its SHA-256 or serial number, which must be unambiguous
 */
export function revokeCertificate(
  admin: PartnerAdminContext,
  clientId: string,
  prefix: string,
): Promise<AdminOutcome<{ hashHex: string; serial: string }>> {
  return changePartner(admin, clientId, "certificate.revoke", async (sql, { partnerId }) => {
    const found = await findCertificate(sql, { partnerId, clientId, prefix });
    if (!found.ok) return found;
    const { certificateHash, hashHex, serial } = found.value;
    await drizzle(sql).update(certificates).set({ revokedAt: notAfterNow(admin.now()) })
      .where(eq(certificates.certificateHash, certificateHash));
    return { ok: true, value: { hashHex, serial }, audit: { certificate: hashHex, serial } };
  });
}

/** Finds a partner's certificate by the beginning of its hash or serial number; refuses a revoked one. */
async function findCertificate(
  sql: Transaction,
  { partnerId, clientId, prefix }: { partnerId: number; clientId: string; prefix: string },
): Promise<AdminOutcome<{ certificateHash: Uint8Array; hashHex: string; serial: string }>> {
  const digits = prefix.toLowerCase().replaceAll(":", "");
  const rows = await drizzle(sql).select().from(certificates)
    .where(eq(certificates.partnerId, partnerId));
  const [certificate, another] = rows.filter(({ certificateHash, serial }) =>
    digits.length >= 4 &&
    (encodeHex(certificateHash).startsWith(digits) || serial.startsWith(digits))
  );
  if (certificate === undefined || another !== undefined) {
    const count = another === undefined ? "no" : "more than one";
    return refuse("not_found", `${count} certificate of "${clientId}" begins with "${prefix}"`);
  }
  const { certificateHash, serial, revokedAt } = certificate;
  if (revokedAt !== null) {
    return refuse("invalid_state", `the certificate ${serial} is already revoked`);
  }
  return { ok: true, value: { certificateHash, hashHex: encodeHex(certificateHash), serial } };
}

/**
 * Revokes an access token before its end (RFC 7009). Within a second every instance refuses it.
 *
 * @param tokenId its `jti`, a UUID, which the request log has as `token_id`
 */
export function revokePartnerToken(
  admin: PartnerAdminContext,
  clientId: string,
  tokenId: string,
): Promise<AdminOutcome<{ tokenId: string }>> {
  return changePartner(admin, clientId, "token.revoke", async (sql, { partnerId }) => {
    if (!UUID.test(tokenId)) return refuse("not_found", "a token's id is its jti, a UUID");
    // The id does not tell its end; any token of today has ended by then, on every instance's clock.
    const validUntilMs = admin.now() + 2 * ACCESS_TOKEN_SECONDS * 1000;
    await revokeToken(sql, { partnerId, tokenId, validUntilMs });
    return { ok: true, value: { tokenId }, audit: { token: tokenId } };
  });
}

/**
 * Registers a further signing key; the others stay valid.
 *
 * @param text as `readSigningKeyOf` takes it
 */
export async function registerSigningKey(
  admin: PartnerAdminContext,
  clientId: string,
  text: string,
): Promise<AdminOutcome<{ keyId: string }>> {
  const key = await readSigningKeyOf(clientId, text, admin.environment);
  if (!key.ok) return key;
  const { keyId } = key.value;
  return await changePartner(admin, clientId, "signing-key.add", async (sql, { partnerId }) => {
    const added = await addSigningKey(sql, admin, partnerId, key.value);
    if (!added.ok) return added;
    return { ok: true, value: { keyId }, audit: { keyId } };
  });
}

/** Ends a signing key after an overlap, or now if that is 0; refuses one that ends sooner. */
export function retireSigningKey(
  admin: PartnerAdminContext,
  clientId: string,
  keyId: string,
  overlapMs: number,
): Promise<AdminOutcome<{ keyId: string; endsAtMs: number }>> {
  return changePartner(admin, clientId, "signing-key.retire", async (sql, { partnerId }) => {
    const condition = eq(signingKeys.keyId, keyId);
    const { oldEndsAtMs: endsAtMs, oldCount } = await endCredentials(sql, signingKeys, {
      partnerId,
      nowMs: admin.now(),
      overlapMs,
      condition,
    });
    if (oldCount === 0) {
      return refuse("not_found", `"${clientId}" has no signing key ${keyId} that ends later`);
    }
    const audit = { keyId, endsAt: formatTime(endsAtMs) };
    return { ok: true, value: { keyId, endsAtMs }, audit };
  });
}

/** Makes a new key for access tokens. It signs once every instance knows it; older ones still verify. */
export function rotateTokenKey(
  admin: PartnerAdminContext,
): Promise<AdminOutcome<{ keyId: string; signsFromMs: number }>> {
  return inTransaction(admin, async (sql) => {
    const signsFromMs = admin.now() + TOKEN_KEY_LEAD_MS;
    const keyId = await insertTokenKey(sql, admin.secrets, signsFromMs);
    await endOlderTokenKeys(sql, keyId, admin.now());
    await stampRevision(sql, null);
    await writeAudit(sql, admin, "token-key.rotate", null, { keyId });
    return { ok: true, value: { keyId, signsFromMs } };
  });
}

/** Makes a new key for receipts, which signs from now on. The one before stays published, with its end. */
export function rotateReceiptKey(
  admin: PartnerAdminContext,
): Promise<AdminOutcome<{ keyId: string; endedKeyId: string | null }>> {
  return inTransaction(admin, async (sql) => {
    const renewed = await renewReceiptKey(sql, admin.secrets, admin.now());
    await writeAudit(sql, admin, "receipt-key.rotate", null, renewed);
    return { ok: true, value: renewed };
  });
}
