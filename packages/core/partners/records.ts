import type { Validity } from "./validity.ts";

/** A partner's client certificate, as the door needs it. */
export interface CertificateRecord extends Validity {
  /** SHA-256 of the DER, lower-case hex. */
  hashHex: string;
  serial: string;
  validUntilMs: number;
  revokedAtMs: number | null;
}

/** A client secret: its keyed hash alone. */
export interface ClientSecretRecord extends Validity {
  secretId: string;
  hash: Uint8Array;
}

/** A public key that a partner signs with; the id is its RFC 7638 thumbprint (Decision D22). */
export interface SigningKeyRecord extends Validity {
  keyId: string;
  publicKey: CryptoKey;
}

/** Requests a second and how many at once, for a class of routes (Decision D42). */
export interface RateLimit {
  perSecond: number;
  burst: number;
}

/** The classes of Decision D42. */
export const RATE_CLASSES = ["token", "read", "write", "signed"] as const;
export type RateClass = (typeof RATE_CLASSES)[number];

/** Generous: they keep a runaway loop of one partner away from the others. */
export const DEFAULT_RATE_LIMITS: Record<RateClass, RateLimit> = {
  token: { perSecond: 20, burst: 100 },
  read: { perSecond: 2_000, burst: 4_000 },
  write: { perSecond: 2_000, burst: 4_000 },
  signed: { perSecond: 2_000, burst: 4_000 },
};

/** What the operator can set for each partner. */
export interface PartnerSettings {
  quoteMinMicrograms: bigint;
  quoteMaxMicrograms: bigint;
  openQuotesLimit: number;
  spreadPpm: bigint;
  feePpm: bigint;
  vatPpm: bigint;
  rateLimits: Record<RateClass, RateLimit>;
}

/** A partner with all its credentials, those that ended and those still to come included. */
export interface PartnerRecord {
  partnerId: number;
  clientId: string;
  name: string;
  status: "active" | "suspended";
  settlementIban: string;
  webhookUrl: string | null;
  /** CIDRs; none = anywhere. See `allowsAddress`. */
  addresses: string[];
  certificates: CertificateRecord[];
  clientSecrets: ClientSecretRecord[];
  signingKeys: SigningKeyRecord[];
  settings: PartnerSettings;
}
