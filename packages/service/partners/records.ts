import type { RateLimit, Scope } from "@sabika/protocol";
import type { RateClass, TermKey, TokenAuth, Validity } from "@sabika/terms";
import type { partners } from "./tables.ts";

type Row = typeof partners.$inferSelect;

/** A partner's client certificate, as the door needs it. */
export interface CertificateRecord extends Validity {
  /** SHA-256 of the DER, lower-case hex. */
  hashHex: string;
  serial: string;
  validUntilMs: number;
  revokedAtMs: number | null;
  tokenAuth: TokenAuth;
  /** The scopes of tokens that are bound to it. */
  scopes: readonly Scope[];
}

/** A client secret, only as its keyed hash. */
export interface ClientSecretRecord extends Validity {
  secretId: string;
  hash: Uint8Array;
}

/** A webhook secret, only by its id; the worker opens it when it signs. */
export interface WebhookSecretRecord extends Validity {
  secretId: string;
}

/** A public key that a partner signs with; the id is its RFC 7638 thumbprint (Decision D22). */
export interface SigningKeyRecord extends Validity {
  keyId: string;
  publicKey: CryptoKey;
}

/**
 * Generous: they protect the other partners from a runaway loop of one. `nonces` is per day: nonces are
 * kept for a day at 142 bytes each, so it allows at most 1.9 GB, where `signed` alone would allow 24 GB.
 */
export const DEFAULT_RATE_LIMITS: Record<RateClass, RateLimit> = {
  token: { perSecond: 20, burst: 100 },
  read: { perSecond: 2_000, burst: 4_000 },
  write: { perSecond: 2_000, burst: 4_000 },
  signed: { perSecond: 2_000, burst: 4_000 },
  nonces: { perSecond: 100, burst: 5_000_000 },
};

/** What the operator can set for each partner. */
export interface PartnerSettings extends Pick<Row, TermKey | "taxes"> {
  disclosesSpread: boolean;
  rateLimits: Record<RateClass, RateLimit>;
}

/** Changes to a partner; members and rate limits that are left out stay as they are. */
export type PartnerChanges = Partial<
  Pick<Row, TermKey | "disclosesSpread" | "name" | "rateLimits">
>;

/** A partner with all its credentials, including those that ended and those still to begin. */
export interface PartnerRecord extends
  Pick<
    Row,
    "partnerId" | "clientId" | "name" | "status" | "settlementIban" | "webhookUrl" | "cellId"
  > {
  /** CIDRs from which the partner may call; when empty, from anywhere. See `allowsAddress`. */
  addresses: string[];
  certificates: CertificateRecord[];
  clientSecrets: ClientSecretRecord[];
  signingKeys: SigningKeyRecord[];
  webhookSecrets: WebhookSecretRecord[];
  settings: PartnerSettings;
}
