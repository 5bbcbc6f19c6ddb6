import { type Scope, SCOPES } from "@sabika/protocol";
import { pausePrices } from "@sabika/service/prices";
import { addBar, removeBar } from "@sabika/service/vault";
import { type ActName, type AdminOutcome, ROLES, TOKEN_AUTHS } from "@sabika/terms";
import { admitPartner } from "../partners/admit_partner.ts";
import {
  issueCertificate,
  registerSigningKey,
  retireSigningKey,
  revokeCertificate,
  revokePartnerToken,
  rotateTokenKey,
  updateCertificate,
} from "../partners/credential_operations.ts";
import type { PartnerAdminContext } from "../partners/partner_admin_context.ts";
import {
  addAddress,
  removeAddress,
  setIban,
  setPartnerStatus,
  updatePartner,
} from "../partners/partner_operations.ts";
import {
  rotateCertificate,
  rotateClientSecret,
  rotateSigningKey,
  rotateWebhookSecret,
} from "../partners/rotate.ts";
import { setTax } from "../partners/set_tax.ts";
import { addIdentity, endIdentity } from "../people/identities.ts";
import { makeLink } from "../people/passkeys.ts";
import {
  addOperator,
  addOperatorKey,
  addRole,
  endOperatorKey,
  removeRole,
  rotateOperatorKey,
  setOperatorEnabled,
} from "../people/people.ts";
import { act, booked, personal } from "./act.ts";
import {
  fineness,
  flag,
  grams,
  members,
  oneOf,
  optional,
  percent,
  price,
  riyals,
  someOf,
  text,
  texts,
  whole,
} from "./arguments.ts";
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
import { PRICE_SOURCES, setPrices } from "./set_prices.ts";
import { LIMITS, TERMS, termsOf } from "./terms.ts";

const partner = text;
const PARTNER = { partner };
const ACCESS = {
  scopes: optional<readonly Scope[]>(someOf(SCOPES)),
  token_auth: optional(oneOf(TOKEN_AUTHS)),
};
const NAME = { operator: text };
const ROLE = { ...NAME, role: oneOf(ROLES) };
const overlap_ms = whole;

const accessOf = (input: {
  scopes: readonly Scope[] | undefined;
  token_auth: (typeof TOKEN_AUTHS)[number] | undefined;
}) => ({ scopes: input.scopes, tokenAuth: input.token_auth });

/** With the partner and the amount that whoever signs has seen, which rules can name. */
const WITHDRAWAL = { withdrawal: text, partner: optional(text), amount_sar: optional(riyals) };

/** Adds the issuing authority's certificate, PEM: the partner needs both. */
function withIssuer<T extends object>(
  { authorities }: PartnerAdminContext,
  outcome: AdminOutcome<T>,
): AdminOutcome<T & { issuerPem: string }> {
  if (!outcome.ok) return outcome;
  return { ok: true, value: { ...outcome.value, issuerPem: authorities.issuing.pem } };
}

/**
 * Acts whose arguments describe them completely, by name: their arguments and how they are carried
 * out. Other acts need what only the command can provide (the root, files of keys, an empty database).
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
      {
        client_id,
        name,
        iban,
        webhook_url,
        signing_key,
        with_keys,
        addresses,
        csr,
        cell,
        ...limits
      },
    ) =>
      admitPartner(admin, {
        name,
        iban,
        limits: termsOf(limits),
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
  "tax.set": act(
    { partner, gold_vat_percent: percent, fee_vat_percent: percent, from_day: text },
    setTax,
  ),
  "partner.suspend": act(
    PARTNER,
    (admin, input) => setPartnerStatus(admin, input.partner, "suspended"),
  ),
  "partner.resume": act(
    PARTNER,
    (admin, input) => setPartnerStatus(admin, input.partner, "active"),
  ),
  "iban.set": act(
    { partner, iban: text },
    (admin, input) => setIban(admin, input.partner, input.iban),
  ),
  "address.add": act(
    { partner, cidr: text },
    (admin, input) => addAddress(admin, input.partner, input.cidr),
  ),
  "address.remove": act(
    { partner, cidr: text },
    (admin, input) => removeAddress(admin, input.partner, input.cidr),
  ),
  "webhook.set": booked({ partner, url: text, in_flight: optional(whole) }, setWebhook),
  "webhook.ping": booked(PARTNER, pingWebhook),
  "webhook.enable": booked(PARTNER, enableWebhook),
  "webhook.disable": booked(PARTNER, disableWebhook),
  "webhook.redeliver": booked({ partner, event: text }, redeliverEvent),

  "certificate.issue": act(
    { partner, csr: text, ...ACCESS },
    async (admin, input) =>
      withIssuer(admin, await issueCertificate(admin, input.partner, input.csr, accessOf(input))),
  ),
  "certificate.rotate": act(
    { partner, csr: text, overlap_ms, ...ACCESS },
    async (admin, input) =>
      withIssuer(
        admin,
        await rotateCertificate(admin, input.partner, {
          csr: input.csr,
          overlapMs: input.overlap_ms,
          ...accessOf(input),
        }),
      ),
  ),
  "certificate.update": act(
    { partner, certificate: text, ...ACCESS },
    (admin, input) => updateCertificate(admin, input.partner, input.certificate, accessOf(input)),
  ),
  "certificate.revoke": act(
    { partner, certificate: text },
    (admin, input) => revokeCertificate(admin, input.partner, input.certificate),
  ),
  "signing-key.add": act(
    { partner, key: text },
    (admin, input) => registerSigningKey(admin, input.partner, input.key),
  ),
  "signing-key.rotate": act(
    { partner, key: text, overlap_ms },
    (admin, input) =>
      rotateSigningKey(admin, input.partner, { key: input.key, overlapMs: input.overlap_ms }),
  ),
  "signing-key.retire": act(
    { partner, key_id: text, overlap_ms },
    (admin, input) => retireSigningKey(admin, input.partner, input.key_id, input.overlap_ms),
  ),
  "client-secret.rotate": personal(
    { partner, overlap_ms },
    (admin, input) => rotateClientSecret(admin, input.partner, { overlapMs: input.overlap_ms }),
  ),
  "webhook-secret.rotate": personal(
    { partner, overlap_ms },
    (admin, input) => rotateWebhookSecret(admin, input.partner, { overlapMs: input.overlap_ms }),
  ),
  "token.revoke": act(
    { partner, token: text },
    (admin, input) => revokePartnerToken(admin, input.partner, input.token),
  ),
  "token-key.rotate": act({}, (admin) => rotateTokenKey(admin)),

  "vault.bar.add": act(
    { serial: text, refiner: text, fineness, weight_grams: grams },
    (admin, { serial, refiner, fineness, weight_grams }) =>
      addBar(admin, {
        serial,
        refiner,
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
  "withdrawal.failed": booked({ ...WITHDRAWAL, failure: text }, moveWithdrawal("failed")),

  "price.set": act({
    source: oneOf(PRICE_SOURCES),
    mid_price_sar: optional(price),
    seed: optional(whole),
    base_price_sar: optional(price),
    feed: optional(members),
    url_sha256: optional(text),
  }, setPrices),
  "price.pause": act({}, (admin) => pausePrices(admin, true)),
  "price.resume": act({}, (admin) => pausePrices(admin, false)),

  "operator.add": act(
    { ...NAME, roles: optional(someOf(ROLES)) },
    (admin, { operator, roles }) => addOperator(admin, operator, roles ?? []),
  ),
  "operator.enable": act(NAME, (admin, input) => setOperatorEnabled(admin, input.operator, true)),
  "operator.disable": act(NAME, (admin, input) => setOperatorEnabled(admin, input.operator, false)),
  "operator.role.add": act(ROLE, (admin, input) => addRole(admin, input.operator, input.role)),
  "operator.role.remove": act(
    ROLE,
    (admin, input) => removeRole(admin, input.operator, input.role),
  ),
  "operator.key.add": act(
    { ...NAME, key: text },
    (admin, input) => addOperatorKey(admin, input.operator, input.key),
  ),
  "operator.key.rotate": act({ key: text }, (admin, { key }) => rotateOperatorKey(admin, key)),
  "operator.key.end": act(
    { ...NAME, key_id: text },
    (admin, input) => endOperatorKey(admin, input.operator, input.key_id),
  ),
  "operator.link": act(
    { ...NAME, link_sha256: text },
    (admin, input) => makeLink(admin, input.operator, input.link_sha256),
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
