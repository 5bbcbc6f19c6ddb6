import { admitPartner } from "../partners/admit_partner.ts";
import { handOver, readHandOver } from "../partners/hand_over.ts";
import {
  addAddress,
  removeAddress,
  setIban,
  setPartnerStatus,
  updatePartner,
} from "../partners/partner_operations.ts";
import { setTax } from "../partners/set_tax.ts";
import { act, booked, personal } from "./act.ts";
import * as checked from "./argument_checks.ts";
import { flag, optional, text, whole } from "./arguments.ts";
import {
  disableWebhook,
  enableWebhook,
  pingWebhook,
  redeliverEvent,
  setWebhook,
} from "./bookings/endpoints.ts";
import { describeEndpoint, describeEvent, describeUrl } from "./dossier/endpoint_lines.ts";
import {
  describeAddress,
  describeAdmission,
  describeIban,
  describeStatus,
  describeTax,
  describeTerms,
} from "./dossier/partner_lines.ts";
import { LIMITS, TERMS, termsOf } from "./terms.ts";

const partner = text;
const PARTNER = { partner };

/** Acts on a partner: its terms, state, IBAN, addresses and endpoint. */
export const PARTNER_ACTS = {
  "partner.create": personal(
    {
      client_id: checked.clientId,
      name: checked.partnerName,
      iban: checked.iban,
      webhook_url: checked.webhookUrl,
      addresses: optional(checked.cidrs),
      csr: optional(checked.signingRequest),
      signing_key: optional(checked.publicKey),
      with_keys: optional(flag),
      encrypt_to: optional(checked.recipient),
      cell: optional(text),
      ...LIMITS,
    },
    describeAdmission,
    async (
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
        encrypt_to: to,
        ...limits
      },
    ) => {
      const lock = await readHandOver(admin, to);
      if (!lock.ok) return lock;
      const admitted = await admitPartner(admin, {
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
      });
      return admitted.ok
        ? { ok: true, value: await handOver(admin, admitted.value, lock.value) }
        : admitted;
    },
  ),
  "partner.update": act(
    {
      partner,
      name: optional(checked.partnerName),
      ...TERMS,
    },
    describeTerms,
    (admin, { partner, name, ...terms }) =>
      updatePartner(admin, partner, { ...name !== undefined && { name }, ...termsOf(terms) }),
  ),
  "tax.set": act(
    { partner, gold_vat_percent: checked.vat, fee_vat_percent: checked.vat, from_day: checked.day },
    describeTax,
    setTax,
  ),
  "partner.suspend": act(
    PARTNER,
    describeStatus("suspended"),
    (admin, input) => setPartnerStatus(admin, input.partner, "suspended"),
  ),
  "partner.resume": act(
    PARTNER,
    describeStatus("active"),
    (admin, input) => setPartnerStatus(admin, input.partner, "active"),
  ),
  "iban.set": act(
    { partner, iban: checked.iban },
    describeIban,
    (admin, input) => setIban(admin, input.partner, input.iban),
  ),
  "address.add": act(
    { partner, cidr: checked.cidr },
    describeAddress(true),
    (admin, input) => addAddress(admin, input.partner, input.cidr),
  ),
  "address.remove": act(
    { partner, cidr: text },
    describeAddress(false),
    (admin, input) => removeAddress(admin, input.partner, input.cidr),
  ),
  "webhook.set": booked(
    { partner, url: checked.webhookUrl, in_flight: optional(whole) },
    describeUrl,
    setWebhook,
  ),
  "webhook.ping": booked(PARTNER, describeEndpoint, pingWebhook),
  "webhook.enable": booked(PARTNER, describeEndpoint, enableWebhook),
  "webhook.disable": booked(PARTNER, describeEndpoint, disableWebhook),
  "webhook.redeliver": booked({ partner, event: text }, describeEvent, redeliverEvent),
} as const;
