import { type Form, list, nullable, oneOf, RATE, STRING, TIME } from "../form.ts";
import { member, record } from "../record_form.ts";
import { type Environment, ENVIRONMENTS } from "./environment.ts";
import { CREDENTIAL_KINDS, type CredentialKind } from "./event.ts";

export const PARTNER_STATUSES = ["active", "suspended"] as const;
export type PartnerStatus = (typeof PARTNER_STATUSES)[number];

/** What names a credential, and how long it is valid; never the credential itself. */
export interface CredentialSummary {
  readonly kind: CredentialKind;
  /** The certificate's hash, the key id, or the secret's id. */
  readonly credentialId: string;
  readonly validFromMs: number;
  readonly validUntilMs: number | null;
}

/** What the service knows about the caller: GET /v1/me (Decision D19). */
export interface Me {
  readonly clientId: string;
  readonly name: string;
  readonly environment: Environment;
  readonly status: PartnerStatus;
  readonly settlementIbanMasked: string;
  readonly webhookUrl: string | null;
  /** CIDR blocks that may call; empty when any may. */
  readonly addresses: readonly string[];
  readonly spreadPpm: bigint;
  readonly feePpm: bigint;
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
  environment: member("environment", oneOf(ENVIRONMENTS), "Which of the two this is."),
  status: member("status", oneOf(PARTNER_STATUSES), "Whether you may trade."),
  settlementIbanMasked: member("settlement_iban_masked", STRING, "Where withdrawals go."),
  webhookUrl: member("webhook_url", nullable(STRING), "Where events are sent."),
  addresses: member("addresses", list(STRING), "CIDR blocks that may call; empty when any may."),
  spreadPpm: member("spread_rate", RATE, "Your spread around the mid price."),
  feePpm: member("fee_rate", RATE, "Your fee on the price of the gold."),
  credentials: member(
    "credentials",
    list(CREDENTIAL),
    "Those that are valid or will be; never a secret.",
  ),
});
