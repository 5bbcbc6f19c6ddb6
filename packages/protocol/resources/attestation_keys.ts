import { type Form, list, nullable, oneOf, STRING, TIME } from "../form.ts";
import { constant, mapped, member, record } from "../record_form.ts";
import type { ReceiptKey } from "./receipt_keys.ts";

/** What outsiders sign (Decision D106): an inspector counts of bars, an auditor reserves. */
export const ATTESTATION_ROLES = ["inspector", "auditor"] as const;

/** What the holder of a key signs. */
export type AttestationRole = typeof ATTESTATION_ROLES[number];

/** A published key of somebody outside, who signs what the operator says of its gold (Decision D106). */
export interface AttestationKey extends ReceiptKey {
  /** What it signs. */
  readonly role: AttestationRole;
  /** Whose it is. */
  readonly holder: string;
}

const ATTESTATION_KEY = record<AttestationKey>("attestation key", {
  $kty: constant('"EC"'),
  $crv: constant('"P-256"'),
  $use: constant('"sig"'),
  $alg: constant('"ES256"'),
  keyId: member("kid", STRING, "The RFC 7638 thumbprint."),
  x: member("x", STRING),
  y: member("y", STRING),
  role: member("role", oneOf(ATTESTATION_ROLES), "An inspector signs counts, an auditor reserves."),
  holder: member("holder", STRING, "Whose it is."),
  validFromMs: member("valid_from", TIME, "When it was registered."),
  validUntilMs: member("valid_until", nullable(TIME), "When it ended; null while it is valid."),
});

const KEY_SET = record<{ keys: readonly AttestationKey[] }>("attestation keys", {
  keys: member("keys", list(ATTESTATION_KEY), "All keys that were ever registered."),
});

/**
 * The form of `/.well-known/sabika-attestation-keys.json`: a JWK set (RFC 7517 §5) of all keys of inspectors and
 * auditors that were ever registered.
 */
export const ATTESTATION_KEYS: Form<readonly AttestationKey[]> = mapped(KEY_SET, {
  toWire: (keys) => ({ keys }),
  fromWire: ({ keys }) => keys,
});
