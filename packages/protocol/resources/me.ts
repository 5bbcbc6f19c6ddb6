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

const CREDENTIAL: Form<CredentialSummary> = record<CredentialSummary>("credential", {
  kind: member("kind", oneOf(CREDENTIAL_KINDS)),
  credentialId: member("credential_id", STRING),
  validFromMs: member("valid_from", TIME),
  validUntilMs: member("valid_until", nullable(TIME)),
});

/** The form of GET /v1/me. */
export const ME: Form<Me> = record<Me>("me", {
  clientId: member("client_id", STRING),
  name: member("name", STRING),
  environment: member("environment", oneOf(ENVIRONMENTS)),
  status: member("status", oneOf(PARTNER_STATUSES)),
  settlementIbanMasked: member("settlement_iban_masked", STRING),
  webhookUrl: member("webhook_url", nullable(STRING)),
  addresses: member("addresses", list(STRING)),
  spreadPpm: member("spread_rate", RATE),
  feePpm: member("fee_rate", RATE),
  credentials: member("credentials", list(CREDENTIAL)),
});
