import { readSigningRequest } from "../certificates/signing_request.ts";
import type { IssuedCertificate } from "../certificates/issue.ts";
import { type Done, refused } from "../../admin/refused.ts";
import { readSigningKey } from "../signing_keys.ts";
import { changePartner } from "../../admin/change.ts";
import { addCertificate, addClientSecret, addSigningKey, addWebhookSecret } from "./credentials.ts";
import type { PartnerAdminContext } from "../partner_admin_context.ts";
import { endOf } from "../../admin/operator_clock.ts";

/** How long the old credentials of the kind go on working beside the new one; 0 = they end now. */
export interface Overlap {
  overlapMs: number;
}

/** What a rotation answers: the new credential, and when the others of its kind end. */
export interface Rotated<T> {
  credential: T;
  oldEndsAtMs: number;
  /** How many others there were. */
  oldCount: number;
}

/** A new client secret, shown this once; the others end after the overlap (Spec §5 Rotation). */
export function rotateClientSecret(
  admin: PartnerAdminContext,
  clientId: string,
  { overlapMs }: Overlap,
): Promise<Done<Rotated<string>>> {
  return changePartner(admin, clientId, "client-secret.rotate", async (sql, { partnerId }) => {
    const oldEndsAtMs = admin.now() + overlapMs;
    const end = endOf(sql, oldEndsAtMs - overlapMs, overlapMs);
    const old = await sql`
      update client_secrets set valid_until = ${end}
      where partner_id = ${partnerId} and (valid_until is null or valid_until > ${end})`;
    const credential = await addClientSecret(sql, admin, partnerId);
    return rotated(credential, oldEndsAtMs, old.count);
  });
}

/** A new webhook secret, shown this once; in the overlap deliveries carry a signature with each. */
export function rotateWebhookSecret(
  admin: PartnerAdminContext,
  clientId: string,
  { overlapMs }: Overlap,
): Promise<Done<Rotated<string>>> {
  return changePartner(admin, clientId, "webhook-secret.rotate", async (sql, { partnerId }) => {
    const oldEndsAtMs = admin.now() + overlapMs;
    const end = endOf(sql, oldEndsAtMs - overlapMs, overlapMs);
    const old = await sql`
      update webhook_secrets set valid_until = ${end}
      where partner_id = ${partnerId} and (valid_until is null or valid_until > ${end})`;
    const credential = await addWebhookSecret(sql, admin, partnerId);
    return rotated(credential, oldEndsAtMs, old.count);
  });
}

/** A new signing key; the partner's others end after the overlap. */
export async function rotateSigningKey(
  admin: PartnerAdminContext,
  clientId: string,
  { overlapMs, key: text }: Overlap & { key: string },
): Promise<Done<Rotated<string>>> {
  const key = await readSigningKey(text);
  if (!key.ok) return key;
  const { keyId } = key.value;
  return await changePartner(admin, clientId, "signing-key.rotate", async (sql, { partnerId }) => {
    const oldEndsAtMs = admin.now() + overlapMs;
    if (!await addSigningKey(sql, admin, partnerId, key.value)) {
      return refused("already_exists", `the partner has the key ${keyId} already`);
    }
    const end = endOf(sql, oldEndsAtMs - overlapMs, overlapMs);
    const old = await sql`
      update signing_keys set valid_until = ${end} where partner_id = ${partnerId}
        and key_id <> ${keyId} and (valid_until is null or valid_until > ${end})`;
    return rotated(keyId, oldEndsAtMs, old.count);
  });
}

/** A certificate for a new request; the partner's others end after the overlap. */
export async function rotateCertificate(
  admin: PartnerAdminContext,
  clientId: string,
  { overlapMs, csr }: Overlap & { csr: string },
): Promise<Done<Rotated<IssuedCertificate>>> {
  const request = await readSigningRequest(csr, clientId);
  if (!request.ok) return request;
  return await changePartner(admin, clientId, "certificate.rotate", async (sql, partner) => {
    const oldEndsAtMs = admin.now() + overlapMs;
    const end = endOf(sql, oldEndsAtMs - overlapMs, overlapMs);
    const old = await sql`
      update certificates set valid_until = ${end}
      where partner_id = ${partner.partnerId} and valid_until > ${end}`;
    const issued = await addCertificate(sql, admin, partner, request.value);
    const result = rotated(issued, oldEndsAtMs, old.count);
    return { ...result, audit: { ...result.audit, certificate: issued.hashHex } };
  });
}

function rotated<T>(credential: T, oldEndsAtMs: number, oldCount: number) {
  return {
    ok: true as const,
    value: { credential, oldEndsAtMs, oldCount },
    audit: { oldEndsAt: new Date(oldEndsAtMs).toISOString(), oldCount },
  };
}
