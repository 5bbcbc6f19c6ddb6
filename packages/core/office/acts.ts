import { type Scope, SCOPES } from "@sabika/protocol";
import {
  addOperator,
  addOperatorKey,
  addRole,
  endOperatorKey,
  removeRole,
  rotateOperatorKey,
  setOperatorEnabled,
} from "../admin/people.ts";
import { addIdentity, endIdentity } from "../admin/identities.ts";
import { makeLink } from "../admin/passkeys.ts";
import type { AdminOutcome } from "../admin/refusal.ts";
import { type ActName, ROLES } from "../admin/rights.ts";
import { admitPartner } from "../partners/operations/admit_partner.ts";
import {
  issueCertificate,
  registerSigningKey,
  retireSigningKey,
  revokeCertificate,
  revokePartnerToken,
  rotateTokenKey,
  updateCertificate,
} from "../partners/operations/credential_operations.ts";
import {
  addAddress,
  removeAddress,
  setIban,
  setPartnerStatus,
  updatePartner,
} from "../partners/operations/partner_operations.ts";
import {
  rotateCertificate,
  rotateClientSecret,
  rotateSigningKey,
  rotateWebhookSecret,
} from "../partners/operations/rotate.ts";
import type { PartnerAdminContext } from "../partners/partner_admin_context.ts";
import { TOKEN_AUTHS } from "../store/schema/names.ts";
import { pausePrices, type PriceOrigin, setPriceOrigin } from "../trading/prices/price_settings.ts";
import { addBar, removeBar } from "../vault/bars.ts";
import { act, booked, personal } from "./act.ts";
import {
  disableWebhook,
  enableWebhook,
  pingWebhook,
  redeliverEvent,
  setWebhook,
} from "./bookings/endpoints.ts";
import { creditFunding } from "./bookings/fundings.ts";
import { grantGold } from "./bookings/grants.ts";
import { moveWithdrawal } from "./bookings/withdrawals.ts";
import { LIMITS, TERMS, termsOf } from "./terms.ts";
import {
  fineness,
  flag,
  grams,
  oneOf,
  optional,
  price,
  riyals,
  someOf,
  text,
  texts,
  whole,
} from "./arguments.ts";

const partner = text;
const PARTNER = { partner };
const ACCESS = {
  scopes: optional<readonly Scope[]>(someOf(SCOPES)),
  token_auth: optional(oneOf(TOKEN_AUTHS)),
};
const NAME = { operator: text };
const ROLE = { ...NAME, role: oneOf(ROLES) };
const overlap_ms = whole;

const accessOf = (of: {
  scopes: readonly Scope[] | undefined;
  token_auth: (typeof TOKEN_AUTHS)[number] | undefined;
}) => ({ scopes: of.scopes, tokenAuth: of.token_auth });

const WITHDRAWAL = { withdrawal: text };

/** A certificate goes to the partner with that of the authority that issued it, PEM. */
function withIssuer<T extends object>(
  { authorities }: PartnerAdminContext,
  outcome: AdminOutcome<T>,
): AdminOutcome<T & { issuerPem: string }> {
  if (!outcome.ok) return outcome;
  return { ok: true, value: { ...outcome.value, issuerPem: authorities.issuing.pem } };
}

/**
 * Every act that its arguments say whole, by its name: what it is given and how it is done. Others
 * need what only the command has at hand (the root, files of keys, an empty database).
 */
export const CARRIED_ACTS = {
  "partner.create": personal(
    {
      client_id: text,
      name: text,
      iban: text,
      webhook_url: text,
      addresses: optional(texts),
      csr: optional(text),
      signing_key: optional(text),
      with_keys: optional(flag),
      cell: optional(text),
      ...LIMITS,
    },
    (
      admin,
      { client_id, name, iban, webhook_url, signing_key, with_keys, addresses, csr, cell, ...of },
    ) =>
      admitPartner(admin, {
        ...{ name, iban, limits: termsOf(of) },
        clientId: client_id,
        webhookUrl: webhook_url,
        ...(addresses && { addresses: [...addresses] }),
        ...(csr !== undefined && { csr }),
        ...(signing_key !== undefined && { signingKey: signing_key }),
        ...(with_keys !== undefined && { withKeys: with_keys }),
        ...(cell !== undefined && { cell }),
      }),
  ),
  "partner.update": act(
    {
      partner,
      name: optional(text),
      ...TERMS,
    },
    (admin, { partner, name, ...terms }) =>
      updatePartner(admin, partner, { ...name !== undefined && { name }, ...termsOf(terms) }),
  ),
  "partner.suspend": act(PARTNER, (admin, of) => setPartnerStatus(admin, of.partner, "suspended")),
  "partner.resume": act(PARTNER, (admin, of) => setPartnerStatus(admin, of.partner, "active")),
  "iban.set": act({ partner, iban: text }, (admin, of) => setIban(admin, of.partner, of.iban)),
  "address.add": act(
    { partner, cidr: text },
    (admin, of) => addAddress(admin, of.partner, of.cidr),
  ),
  "address.remove": act(
    { partner, cidr: text },
    (admin, of) => removeAddress(admin, of.partner, of.cidr),
  ),
  "webhook.set": booked({ partner, url: text, in_flight: optional(whole) }, setWebhook),
  "webhook.ping": booked(PARTNER, pingWebhook),
  "webhook.enable": booked(PARTNER, enableWebhook),
  "webhook.disable": booked(PARTNER, disableWebhook),
  "webhook.redeliver": booked({ partner, event: text }, redeliverEvent),

  "certificate.issue": act(
    { partner, csr: text, ...ACCESS },
    async (admin, of) =>
      withIssuer(admin, await issueCertificate(admin, of.partner, of.csr, accessOf(of))),
  ),
  "certificate.rotate": act(
    { partner, csr: text, overlap_ms, ...ACCESS },
    async (admin, of) =>
      withIssuer(
        admin,
        await rotateCertificate(admin, of.partner, {
          csr: of.csr,
          overlapMs: of.overlap_ms,
          ...accessOf(of),
        }),
      ),
  ),
  "certificate.update": act(
    { partner, certificate: text, ...ACCESS },
    (admin, of) => updateCertificate(admin, of.partner, of.certificate, accessOf(of)),
  ),
  "certificate.revoke": act(
    { partner, certificate: text },
    (admin, of) => revokeCertificate(admin, of.partner, of.certificate),
  ),
  "signing-key.add": act(
    { partner, key: text },
    (admin, of) => registerSigningKey(admin, of.partner, of.key),
  ),
  "signing-key.rotate": act(
    { partner, key: text, overlap_ms },
    (admin, of) => rotateSigningKey(admin, of.partner, { key: of.key, overlapMs: of.overlap_ms }),
  ),
  "signing-key.retire": act(
    { partner, key_id: text, overlap_ms },
    (admin, of) => retireSigningKey(admin, of.partner, of.key_id, of.overlap_ms),
  ),
  "client-secret.rotate": personal(
    { partner, overlap_ms },
    (admin, of) => rotateClientSecret(admin, of.partner, { overlapMs: of.overlap_ms }),
  ),
  "webhook-secret.rotate": personal(
    { partner, overlap_ms },
    (admin, of) => rotateWebhookSecret(admin, of.partner, { overlapMs: of.overlap_ms }),
  ),
  "token.revoke": act(
    { partner, token: text },
    (admin, of) => revokePartnerToken(admin, of.partner, of.token),
  ),
  "token-key.rotate": act({}, (admin) => rotateTokenKey(admin)),

  "vault.bar.add": act(
    { serial: text, refiner: text, fineness, weight_grams: grams },
    (admin, { serial, refiner, fineness, weight_grams }) =>
      addBar(admin, {
        ...{ serial, refiner },
        finenessTenThousandths: Number(fineness),
        weightMicrograms: weight_grams,
      }),
  ),
  "vault.bar.remove": act({ serial: text }, (admin, { serial }) => removeBar(admin, serial)),
  "vault.allocate": booked({ partner, grams }, grantGold("allocate")),
  "vault.release": booked({ partner, grams }, grantGold("release")),

  "funding.credit": booked({ partner, amount_sar: riyals, reference: text }, creditFunding),
  "withdrawal.processing": booked(WITHDRAWAL, moveWithdrawal("processing")),
  "withdrawal.completed": booked(WITHDRAWAL, moveWithdrawal("completed")),
  "withdrawal.cancelled": booked(WITHDRAWAL, moveWithdrawal("cancelled")),
  "withdrawal.failed": booked({ withdrawal: text, failure: text }, moveWithdrawal("failed")),

  // A feed is set by who has its URL, which may hold a secret.
  "price.set": act({
    source: oneOf(["simulated", "fixed"]),
    mid_price_sar: optional(price),
    seed: optional(whole),
    base_price_sar: optional(price),
  }, (admin, { source, mid_price_sar = 0n, seed, base_price_sar }) =>
    setPriceOrigin(
      admin,
      (source === "fixed"
        ? { source, midTenThousandths: mid_price_sar }
        : { source, seed, baseTenThousandths: base_price_sar }) as PriceOrigin,
    )),
  "price.pause": act({}, (admin) => pausePrices(admin, true)),
  "price.resume": act({}, (admin) => pausePrices(admin, false)),

  "operator.add": act(
    { ...NAME, roles: optional(someOf(ROLES)) },
    (admin, { operator, roles }) => addOperator(admin, operator, roles ?? []),
  ),
  "operator.enable": act(NAME, (admin, of) => setOperatorEnabled(admin, of.operator, true)),
  "operator.disable": act(NAME, (admin, of) => setOperatorEnabled(admin, of.operator, false)),
  "operator.role.add": act(ROLE, (admin, of) => addRole(admin, of.operator, of.role)),
  "operator.role.remove": act(ROLE, (admin, of) => removeRole(admin, of.operator, of.role)),
  "operator.key.add": act(
    { ...NAME, key: text },
    (admin, of) => addOperatorKey(admin, of.operator, of.key),
  ),
  "operator.key.rotate": act({ key: text }, (admin, { key }) => rotateOperatorKey(admin, key)),
  "operator.key.end": act(
    { ...NAME, key_id: text },
    (admin, of) => endOperatorKey(admin, of.operator, of.key_id),
  ),
  "operator.link": act(
    { ...NAME, link_sha256: text },
    (admin, of) => makeLink(admin, of.operator, of.link_sha256),
  ),
  "operator.identity.add": act(
    { ...NAME, issuer: text, subject: text },
    (admin, { operator, ...identity }) => addIdentity(admin, operator, identity),
  ),
  "operator.identity.end": act(
    { ...NAME, issuer: text, subject: text },
    (admin, { operator, ...identity }) => endIdentity(admin, operator, identity),
  ),
} as const satisfies Partial<Record<ActName, unknown>>;
