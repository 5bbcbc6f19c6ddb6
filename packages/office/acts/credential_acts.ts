import { type Scope, SCOPES } from "@sabika/protocol";
import { type AdminOutcome, TOKEN_AUTHS } from "@sabika/terms";
import {
  issueCertificate,
  registerSigningKey,
  retireSigningKey,
  revokeCertificate,
  revokePartnerToken,
  rotateReceiptKey,
  rotateTokenKey,
  updateCertificate,
} from "../partners/credential_operations.ts";
import type { PartnerAdminContext } from "../partners/partner_admin_context.ts";
import { refuseRequest } from "../partners/requested_credential.ts";
import {
  rotateCertificate,
  rotateClientSecret,
  rotateSigningKey,
  rotateWebhookSecret,
} from "../partners/rotate.ts";
import { act, personal } from "./act.ts";
import * as checked from "./argument_checks.ts";
import { oneOf, optional, someOf, text, whole } from "./arguments.ts";
import {
  describeCertificate,
  describeKey,
  describeNewCertificate,
  describeNewKey,
  describeReceiptKey,
  describeRefusedRequest,
  describeSecret,
  describeToken,
} from "./dossier/credential_lines.ts";

const partner = text;
const overlap_ms = whole;
/** The partner's request that the act carries out. */
const request = optional(text);
const ACCESS = {
  scopes: optional<readonly Scope[]>(someOf(SCOPES)),
  token_auth: optional(oneOf(TOKEN_AUTHS)),
};

const accessOf = (input: {
  scopes: readonly Scope[] | undefined;
  token_auth: (typeof TOKEN_AUTHS)[number] | undefined;
}) => ({ scopes: input.scopes, tokenAuth: input.token_auth });

/** Adds the issuing authority's certificate, PEM: the partner needs both. */
function withIssuer<T extends object>(
  { authorities }: PartnerAdminContext,
  outcome: AdminOutcome<T>,
): AdminOutcome<T & { issuerPem: string }> {
  if (!outcome.ok) return outcome;
  return { ok: true, value: { ...outcome.value, issuerPem: authorities.issuing.pem } };
}

/** Acts on certificates, keys, secrets and tokens. */
export const CREDENTIAL_ACTS = {
  "certificate.issue": act(
    { partner, csr: checked.signingRequest, ...ACCESS },
    describeNewCertificate,
    async (admin, input) =>
      withIssuer(admin, await issueCertificate(admin, input.partner, input.csr, accessOf(input))),
  ),
  "certificate.rotate": act(
    { partner, csr: checked.signingRequest, overlap_ms, ...ACCESS, request },
    describeNewCertificate,
    async (admin, input) =>
      withIssuer(
        admin,
        await rotateCertificate(admin, input.partner, {
          csr: input.csr,
          overlapMs: input.overlap_ms,
          request: input.request,
          ...accessOf(input),
        }),
      ),
  ),
  "certificate.update": act(
    { partner, certificate: text, ...ACCESS },
    describeCertificate,
    (admin, input) => updateCertificate(admin, input.partner, input.certificate, accessOf(input)),
  ),
  "certificate.revoke": act(
    { partner, certificate: text },
    describeCertificate,
    (admin, input) => revokeCertificate(admin, input.partner, input.certificate),
  ),
  "signing-key.add": act(
    { partner, key: checked.publicKey },
    describeNewKey,
    (admin, input) => registerSigningKey(admin, input.partner, input.key),
  ),
  "signing-key.rotate": act(
    { partner, key: checked.publicKey, overlap_ms, request },
    describeNewKey,
    (admin, { partner, key, overlap_ms: overlapMs, request }) =>
      rotateSigningKey(admin, partner, { key, overlapMs, request }),
  ),
  "credential.refuse": act(
    { partner, request: text, reason: checked.reason },
    describeRefusedRequest,
    (admin, { partner, request, reason }) => refuseRequest(admin, partner, { request, reason }),
  ),
  "signing-key.retire": act(
    { partner, key_id: text, overlap_ms },
    describeKey,
    (admin, input) => retireSigningKey(admin, input.partner, input.key_id, input.overlap_ms),
  ),
  "client-secret.rotate": personal(
    { partner, overlap_ms },
    describeSecret,
    (admin, input) => rotateClientSecret(admin, input.partner, { overlapMs: input.overlap_ms }),
  ),
  "webhook-secret.rotate": personal(
    { partner, overlap_ms },
    describeSecret,
    (admin, input) => rotateWebhookSecret(admin, input.partner, { overlapMs: input.overlap_ms }),
  ),
  "token.revoke": act(
    { partner, token: text },
    describeToken,
    (admin, input) => revokePartnerToken(admin, input.partner, input.token),
  ),
  "receipt-key.rotate": act({}, describeReceiptKey, (admin) => rotateReceiptKey(admin)),
  "token-key.rotate": act({}, () => [], (admin) => rotateTokenKey(admin)),
} as const;
