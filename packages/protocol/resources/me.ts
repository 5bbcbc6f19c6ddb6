import { type Form, list, nullable, oneOf, RATE, STRING, TIME } from "../form.ts";
import { member, optional, record } from "../record_form.ts";
import { type Environment, ENVIRONMENTS } from "./environment.ts";
import { CREDENTIAL_KINDS, type CredentialKind } from "./event.ts";
import { WEBHOOK_ENDPOINT, type WebhookEndpoint } from "./webhook_endpoint.ts";

/** The states of a partner, of which only `active` may trade. */
export const PARTNER_STATUSES = ["active", "suspended"] as const;
/** One of {@link PARTNER_STATUSES}. */
export type PartnerStatus = (typeof PARTNER_STATUSES)[number];

/** The id of a credential, and how long it is valid; never the credential itself. */
export interface CredentialSummary {
  /** The kind of credential. */
  readonly kind: CredentialKind;
  /** The certificate's hash, the key id, or the secret's id. */
  readonly credentialId: string;
  /** The time from which it is accepted. */
  readonly validFromMs: number;
  /** When it ends; null for never. */
  readonly validUntilMs: number | null;
}

/** What the service knows about the caller: GET /v1/me (Decision D19). */
export interface Me {
  /** The id of the partner. */
  readonly clientId: string;
  /** The partner's name in the operator's register. */
  readonly name: string;
  /** The environment that it belongs to. */
  readonly environment: Environment;
  /** Its state. */
  readonly status: PartnerStatus;
  /** The IBAN to which withdrawals are paid, without its middle part. */
  readonly settlementIbanMasked: string;
  /** The URL to which events are sent; null when there is none. */
  readonly webhookUrl: string | null;
  /** The state of the webhook endpoint; left out when there is none. */
  readonly webhook?: WebhookEndpoint | undefined;
  /** CIDR blocks that may call; empty when any may. */
  readonly addresses: readonly string[];
  /** The spread around the mid price, in millionths. */
  readonly spreadPpm: bigint;
  /** The fee on the price of the gold, in millionths. */
  readonly feePpm: bigint;
  /** The credentials that are valid now or later; never a secret. */
  readonly credentials: readonly CredentialSummary[];
}

const CREDENTIAL: Form<CredentialSummary> = record<CredentialSummary>("credential summary", {
  kind: member("kind", oneOf(CREDENTIAL_KINDS), "What it is."),
  credentialId: member(
    "credential_id",
    STRING,
    "The certificate's hash, the key id, or the secret's id.",
  ),
  validFromMs: member("valid_from", TIME, "Since when it is accepted."),
  validUntilMs: member("valid_until", nullable(TIME), "When it ends; null for never."),
});

/** The form of GET /v1/me. */
export const ME: Form<Me> = record<Me>("me", {
  clientId: member("client_id", STRING, "Your id in tokens, kits and certificates."),
  name: member("name", STRING, "Your name in the operator's register."),
  environment: member("environment", oneOf(ENVIRONMENTS), "The environment of the service."),
  status: member("status", oneOf(PARTNER_STATUSES), "Whether you may trade."),
  settlementIbanMasked: member("settlement_iban_masked", STRING, "Where withdrawals are paid."),
  webhookUrl: member("webhook_url", nullable(STRING), "Where events are sent."),
  webhook: optional("webhook", WEBHOOK_ENDPOINT, "The state of that endpoint."),
  addresses: member("addresses", list(STRING), "CIDR blocks that may call; empty when any may."),
  spreadPpm: member("spread_rate", RATE, "Your spread around the mid price."),
  feePpm: member("fee_rate", RATE, "Your fee on the price of the gold."),
  credentials: member(
    "credentials",
    list(CREDENTIAL),
    "Those that are valid or will be; never a secret.",
  ),
});
