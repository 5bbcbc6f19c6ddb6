import { decodeHex, formatScopes, refuse, type Scope } from "@sabika/protocol";
import { and, eq, gt, isNull, lte, or, type SQL } from "drizzle-orm";
import { drizzle, type Transaction } from "@sabika/database";
import {
  issueClientCertificate,
  type IssuedCertificate,
  type SigningKey,
  signingKeyOf,
  type SigningRequest,
} from "@sabika/identity/certificates";
import { endOf, notAfterNow } from "@sabika/service/audit";
import {
  certificates,
  clientSecrets,
  newClientSecret,
  newWebhookSecret,
  signingKeys,
  webhookSecretIdentity,
  webhookSecrets,
} from "@sabika/service/partners";
import type { AdminOutcome, TokenAuth } from "@sabika/terms";
import { refuseKeyInUse } from "./key_in_use.ts";
import type { PartnerAdminContext } from "./partner_admin_context.ts";

/** New credentials are valid from a second ago, so that instances whose clocks are slow accept them (D12). */
const CLOCK_SLACK_MS = 1_000;

/** The terms of a certificate that the operator may set; a new certificate gets defaults for others. */
export interface CertificateTerms {
  readonly tokenAuth?: TokenAuth | undefined;
  readonly scopes?: readonly Scope[] | undefined;
}

/** Returns the terms as columns of the certificates table; undefined for those left out. */
export function termsColumns({ tokenAuth, scopes }: CertificateTerms) {
  return { tokenAuth, scope: scopes && formatScopes(scopes) };
}

/** Issues a client certificate for a verified request and registers it; a used key is refused. */
export async function addCertificate(
  sql: Transaction,
  admin: PartnerAdminContext,
  partner: { partnerId: number; clientId: string },
  request: SigningRequest,
  terms: CertificateTerms = {},
): Promise<AdminOutcome<IssuedCertificate>> {
  const key = await signingKeyOf(request.publicKey);
  const inUse = await refuseKeyInUse(sql, partner.partnerId, key, "certificate");
  if (inUse !== undefined) return inUse;
  const issued = await issueClientCertificate({
    issuer: admin.authorities.issuing,
    environment: admin.environment,
    clientId: partner.clientId,
    organisation: request.organisation,
    publicKey: request.publicKey,
    nowMs: admin.now(),
    random: admin.random,
  });
  await drizzle(sql).insert(certificates).values({
    partnerId: partner.partnerId,
    certificateHash: decodeHex(issued.hashHex)!,
    serial: issued.serial,
    subject: issued.subject,
    pem: issued.pem,
    validFrom: issued.validFromMs,
    validUntil: issued.validUntilMs,
    ...termsColumns(terms),
  });
  return { ok: true, value: issued };
}

/** Makes a client secret and stores its keyed hash; the text is returned only here. */
export async function addClientSecret(
  sql: Transaction,
  admin: PartnerAdminContext,
  partnerId: number,
): Promise<string> {
  const clientSecret = newClientSecret(admin.random);
  await drizzle(sql).insert(clientSecrets).values({
    partnerId,
    secretId: crypto.randomUUID(),
    secretHash: await admin.secrets.hashClientSecret(clientSecret),
    validFrom: notAfterNow(admin.now() - CLOCK_SLACK_MS),
  });
  return clientSecret;
}

/** Makes a webhook secret and stores it sealed; the text is returned only here. */
export async function addWebhookSecret(
  sql: Transaction,
  admin: PartnerAdminContext,
  partnerId: number,
): Promise<string> {
  const webhookSecret = newWebhookSecret(admin.random);
  const secretId: string = crypto.randomUUID();
  const sealedSecret = await admin.secrets.seal(
    webhookSecretIdentity(partnerId, secretId),
    new TextEncoder().encode(webhookSecret),
  );
  const validFrom = notAfterNow(admin.now() - CLOCK_SLACK_MS);
  await drizzle(sql).insert(webhookSecrets).values({
    partnerId,
    secretId,
    sealedSecret,
    validFrom,
  });
  return webhookSecret;
}

/**
 * Registers a public key that the partner signs with. Refuses a key that is in use elsewhere, and one
 * of this partner that has not ended.
 */
export async function addSigningKey(
  sql: Transaction,
  admin: PartnerAdminContext,
  partnerId: number,
  key: SigningKey,
): Promise<AdminOutcome<null>> {
  const inUse = await refuseKeyInUse(sql, partnerId, key, "signing key");
  if (inUse !== undefined) return inUse;
  const validFrom = notAfterNow(admin.now() - CLOCK_SLACK_MS);
  const added = await drizzle(sql).insert(signingKeys)
    .values({ partnerId, validFrom, ...key })
    .onConflictDoUpdate({
      target: [signingKeys.partnerId, signingKeys.keyId],
      set: { validFrom, validUntil: null },
      setWhere: lte(signingKeys.validUntil, admin.now()),
    }).returning();
  if (added.length === 1) return { ok: true, value: null };
  return refuse("already_exists", `the partner has the key ${key.keyId} already`);
}

type Credentials =
  | typeof certificates
  | typeof clientSecrets
  | typeof signingKeys
  | typeof webhookSecrets;

/**
 * Ends a partner's credentials of one kind after an overlap; those that end sooner stay as they are.
 *
 * @param ending.condition which of them end; all of the kind when undefined
 * @returns when they end, epoch milliseconds, and how many they are
 */
export async function endCredentials(
  sql: Transaction,
  kind: Credentials,
  ending: { partnerId: number; nowMs: number; overlapMs: number; condition?: SQL },
): Promise<{ oldEndsAtMs: number; oldCount: number }> {
  const { partnerId, nowMs, overlapMs, condition } = ending;
  // All four tables have these columns.
  const table = kind as typeof signingKeys;
  const end = endOf(nowMs, overlapMs);
  const ended = await drizzle(sql).update(table).set({ validUntil: end }).where(and(
    eq(table.partnerId, partnerId),
    or(isNull(table.validUntil), gt(table.validUntil, end)),
    condition,
  )).returning({ partnerId: table.partnerId });
  return { oldEndsAtMs: nowMs + overlapMs, oldCount: ended.length };
}
