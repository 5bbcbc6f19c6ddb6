import { and, desc, eq, gt, isNull, ne, type SQL } from "drizzle-orm";
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
import { closeRequest, openRequest } from "./requested_credential.ts";

/** How long the old credentials go on working alongside the new one; with 0 they end now. */
export interface Overlap {
  overlapMs: number;
}

/** The partner's request that is carried out (Decision D120), `cr_…`; it ends only the credential that asked. */
export interface AtRequest {
  request?: string | undefined;
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
  { overlapMs, key: text, request }: Overlap & AtRequest & { key: string },
): Promise<AdminOutcome<Rotated<string>>> {
  const key = await readSigningKeyOf(clientId, text, admin.environment);
  if (!key.ok) return key;
  const { keyId } = key.value;
  return await changePartner(admin, clientId, "signing-key.rotate", async (sql, { partnerId }) => {
    const asked = request === undefined
      ? NOT_ASKED
      : await openRequest(sql, admin, partnerId, { request, kind: "signing_key", csr: text });
    if (!asked.ok) return asked;
    const nowMs = admin.now();
    const added = await addSigningKey(sql, admin, partnerId, key.value);
    if (!added.ok) return added;
    const condition = asked.value?.replaced ?? ne(signingKeys.keyId, keyId);
    const ended = await endCredentials(sql, signingKeys, {
      partnerId,
      nowMs,
      overlapMs,
      condition,
    });
    if (asked.value !== undefined) await closeRequest(sql, admin, asked.value, ended);
    return rotated(keyId, ended, request);
  });
}

/**
 * Issues a certificate for a new request; the partner's others end after the overlap. Terms that are left
 * out are those of the newest valid certificate.
 */
export async function rotateCertificate(
  admin: PartnerAdminContext,
  clientId: string,
  { overlapMs, csr, request, ...terms }:
    & Overlap
    & AtRequest
    & { csr: string }
    & CertificateTerms,
): Promise<AdminOutcome<Rotated<IssuedCertificate>>> {
  const read = await readSigningRequest(csr, clientId);
  if (!read.ok) return read;
  return await changePartner(admin, clientId, "certificate.rotate", async (sql, partner) => {
    const { partnerId } = partner;
    const asked = request === undefined
      ? NOT_ASKED
      : await openRequest(sql, admin, partnerId, { request, kind: "certificate", csr });
    if (!asked.ok) return asked;
    const condition = asked.value?.replaced;
    const ending = { partnerId, nowMs: admin.now(), overlapMs, condition };
    const previous = await lastTerms(sql, ending);
    const ended = await endCredentials(sql, certificates, ending);
    const issued = await addCertificate(sql, admin, partner, read.value, {
      tokenAuth: terms.tokenAuth ?? previous?.tokenAuth,
      scopes: terms.scopes ?? previous?.scopes,
    });
    if (!issued.ok) return issued;
    if (asked.value !== undefined) {
      const certificate = issued.value.pem + admin.authorities.issuing.pem;
      await closeRequest(sql, admin, asked.value, { ...ended, certificate });
    }
    const result = rotated(issued.value, ended, request);
    return { ...result, audit: { ...result.audit, certificate: issued.value.hashHex } };
  });
}

async function lastTerms(
  sql: Transaction,
  { partnerId, nowMs, condition }: {
    partnerId: number;
    nowMs: number;
    condition: SQL | undefined;
  },
): Promise<CertificateTerms | undefined> {
  const { tokenAuth, scope, validFrom, validUntil, revokedAt } = certificates;
  const [last] = await drizzle(sql).select({ tokenAuth, scope }).from(certificates)
    .where(
      and(
        eq(certificates.partnerId, partnerId),
        gt(validUntil, nowMs),
        isNull(revokedAt),
        condition,
      ),
    ).orderBy(desc(validFrom)).limit(1);
  return last && { tokenAuth: last.tokenAuth, scopes: parseScopes(last.scope) };
}

const NOT_ASKED = { ok: true, value: undefined } as const;

function rotated<T>(
  credential: T,
  ended: { oldEndsAtMs: number; oldCount: number },
  request?: string,
) {
  const { oldEndsAtMs, oldCount } = ended;
  return {
    ok: true as const,
    value: { credential, oldEndsAtMs, oldCount },
    audit: {
      oldEndsAt: formatTime(oldEndsAtMs),
      oldCount,
      ...request === undefined ? {} : { request },
    },
  };
}
