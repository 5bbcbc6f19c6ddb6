import { decodeHex } from "@sabika/protocol";
import { issueClientCertificate, type IssuedCertificate } from "../certificates/issue.ts";
import type { SigningRequest } from "../certificates/signing_request.ts";
import { newClientSecret, newWebhookSecret } from "../secrets/client_secret.ts";
import type { SigningKey } from "../signing_keys.ts";
import { toMoment } from "../../store/moments.ts";
import { webhookSecretIdentity } from "../webhook_secrets.ts";
import type { Transaction } from "../../store/sql.ts";
import type { PartnerAdminContext } from "../partner_admin_context.ts";
import { notAfterNow } from "../../admin/operator_clock.ts";

/** Clocks of instances differ by up to a second (Decision D12): what is new works on each of them at once. */
const CLOCK_SLACK_MS = 1_000;

/** Issues a client certificate for a verified request and registers it. */
export async function addCertificate(
  sql: Transaction,
  admin: PartnerAdminContext,
  partner: { partnerId: number; clientId: string },
  request: SigningRequest,
): Promise<IssuedCertificate> {
  const issued = await issueClientCertificate({
    issuer: admin.authorities.issuing,
    environment: admin.environment,
    clientId: partner.clientId,
    organisation: request.organisation,
    publicKey: request.publicKey,
    nowMs: admin.now(),
    random: admin.random,
  });
  await sql`
    insert into certificates
      (partner_id, certificate_hash, serial, subject, pem, valid_from, valid_until)
    values (${partner.partnerId}, ${decodeHex(
    issued.hashHex,
  )!}, ${issued.serial}, ${issued.subject},
      ${issued.pem}, ${toMoment(issued.validFromMs)}, ${toMoment(issued.validUntilMs)})`;
  return issued;
}

/** Makes a client secret and keeps its keyed hash; the text is returned this once. */
export async function addClientSecret(
  sql: Transaction,
  admin: PartnerAdminContext,
  partnerId: number,
): Promise<string> {
  const clientSecret = newClientSecret(admin.random);
  const hash = await admin.secrets.hashClientSecret(clientSecret);
  await sql`
    insert into client_secrets (partner_id, secret_id, secret_hash, valid_from)
    values (${partnerId}, ${crypto.randomUUID()}, ${hash},
      ${notAfterNow(sql, admin.now() - CLOCK_SLACK_MS)})`;
  return clientSecret;
}

/** Makes a webhook secret and keeps it sealed; the text is returned this once. */
export async function addWebhookSecret(
  sql: Transaction,
  admin: PartnerAdminContext,
  partnerId: number,
): Promise<string> {
  const webhookSecret = newWebhookSecret(admin.random);
  const secretId: string = crypto.randomUUID();
  const sealed = await admin.secrets.seal(
    webhookSecretIdentity(partnerId, secretId),
    new TextEncoder().encode(webhookSecret),
  );
  await sql`
    insert into webhook_secrets (partner_id, secret_id, sealed_secret, valid_from)
    values (${partnerId}, ${secretId}, ${sealed},
      ${notAfterNow(sql, admin.now() - CLOCK_SLACK_MS)})`;
  return webhookSecret;
}

/**
 * Registers a public key that the partner signs with.
 *
 * @returns false when the partner has this key already and it has not ended
 */
export async function addSigningKey(
  sql: Transaction,
  admin: PartnerAdminContext,
  partnerId: number,
  key: SigningKey,
): Promise<boolean> {
  const fromMs = admin.now() - CLOCK_SLACK_MS;
  const rows = await sql`
    insert into signing_keys (partner_id, key_id, public_jwk, valid_from)
    values (${partnerId}, ${key.keyId}, ${JSON.stringify(key.publicJwk)}::jsonb, ${
    notAfterNow(sql, fromMs)
  })
    on conflict (partner_id, key_id) do update
      set valid_from = excluded.valid_from, valid_until = null
      where signing_keys.valid_until <= ${toMoment(admin.now())}
    returning key_id`;
  return rows.length === 1;
}
