import { and, desc, eq, gt, isNull, ne } from "drizzle-orm";
import { formatTime, parseScopes } from "@sabika/protocol";
import { drizzle, type Transaction } from "@sabika/database";
import {
  type IssuedCertificate,
  readSigningKeyOf,
  readSigningRequest,
} from "@sabika/identity/certificates";
import { changePartner } from "@sabika/service/audit";
import { certificates, clientSecrets, signingKeys, webhookSecrets } from "@sabika/service/partners";
import type { AdminOutcome } from "@sabika/terms";
import {
  addCertificate,
  addClientSecret,
  addSigningKey,
  addWebhookSecret,
  type CertificateTerms,
  endCredentials,
} from "./credentials.ts";
import type { PartnerAdminContext } from "./partner_admin_context.ts";

/** How long the old credentials go on working alongside the new one; with 0 they end now. */
export interface Overlap {
  overlapMs: number;
}

/** The result of a rotation: the new credential, and when the others of its kind end. */
export interface Rotated<T> {
  credential: T;
  oldEndsAtMs: number;
  /** How many others end then; credentials that end sooner are not counted. */
  oldCount: number;
}

/** Makes a new client secret, shown only once; the others end after the overlap (Spec §5 Rotation). */
export function rotateClientSecret(
  admin: PartnerAdminContext,
  clientId: string,
  { overlapMs }: Overlap,
): Promise<AdminOutcome<Rotated<string>>> {
  return changePartner(admin, clientId, "client-secret.rotate", async (sql, { partnerId }) => {
    const ending = { partnerId, nowMs: admin.now(), overlapMs };
    const ended = await endCredentials(sql, clientSecrets, ending);
    return rotated(await addClientSecret(sql, admin, partnerId), ended);
  });
}

/** Makes a new webhook secret, shown only once; during the overlap deliveries are signed with each. */
export function rotateWebhookSecret(
  admin: PartnerAdminContext,
  clientId: string,
  { overlapMs }: Overlap,
): Promise<AdminOutcome<Rotated<string>>> {
  return changePartner(admin, clientId, "webhook-secret.rotate", async (sql, { partnerId }) => {
    const ending = { partnerId, nowMs: admin.now(), overlapMs };
    const ended = await endCredentials(sql, webhookSecrets, ending);
    return rotated(await addWebhookSecret(sql, admin, partnerId), ended);
  });
}

/** Registers a new signing key; the partner's others end after the overlap. */
export async function rotateSigningKey(
  admin: PartnerAdminContext,
  clientId: string,
  { overlapMs, key: text }: Overlap & { key: string },
): Promise<AdminOutcome<Rotated<string>>> {
  const key = await readSigningKeyOf(clientId, text, admin.environment);
  if (!key.ok) return key;
  const { keyId } = key.value;
  return await changePartner(admin, clientId, "signing-key.rotate", async (sql, { partnerId }) => {
    const nowMs = admin.now();
    const added = await addSigningKey(sql, admin, partnerId, key.value);
    if (!added.ok) return added;
    const condition = ne(signingKeys.keyId, keyId);
    const ending = { partnerId, nowMs, overlapMs, condition };
    return rotated(keyId, await endCredentials(sql, signingKeys, ending));
  });
}

/**
 * Issues a certificate for a new request; the partner's others end after the overlap. Terms that are left
 * out are those of the newest valid certificate.
 */
export async function rotateCertificate(
  admin: PartnerAdminContext,
  clientId: string,
  { overlapMs, csr, ...terms }: Overlap & { csr: string } & CertificateTerms,
): Promise<AdminOutcome<Rotated<IssuedCertificate>>> {
  const request = await readSigningRequest(csr, clientId);
  if (!request.ok) return request;
  return await changePartner(admin, clientId, "certificate.rotate", async (sql, partner) => {
    const ending = { partnerId: partner.partnerId, nowMs: admin.now(), overlapMs };
    const previous = await lastTerms(sql, ending);
    const ended = await endCredentials(sql, certificates, ending);
    const issued = await addCertificate(sql, admin, partner, request.value, {
      tokenAuth: terms.tokenAuth ?? previous?.tokenAuth,
      scopes: terms.scopes ?? previous?.scopes,
    });
    if (!issued.ok) return issued;
    const result = rotated(issued.value, ended);
    return { ...result, audit: { ...result.audit, certificate: issued.value.hashHex } };
  });
}

async function lastTerms(
  sql: Transaction,
  { partnerId, nowMs }: { partnerId: number; nowMs: number },
): Promise<CertificateTerms | undefined> {
  const { tokenAuth, scope, validFrom, validUntil, revokedAt } = certificates;
  const [last] = await drizzle(sql).select({ tokenAuth, scope }).from(certificates)
    .where(
      and(eq(certificates.partnerId, partnerId), gt(validUntil, nowMs), isNull(revokedAt)),
    ).orderBy(desc(validFrom)).limit(1);
  return last && { tokenAuth: last.tokenAuth, scopes: parseScopes(last.scope) };
}

function rotated<T>(credential: T, ended: { oldEndsAtMs: number; oldCount: number }) {
  const { oldEndsAtMs, oldCount } = ended;
  return {
    ok: true as const,
    value: { credential, oldEndsAtMs, oldCount },
    audit: { oldEndsAt: formatTime(oldEndsAtMs), oldCount },
  };
}
