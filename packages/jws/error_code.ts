/** Reasons to refuse a detached JWS, for logs and tests; answers have fewer codes (Decision D32). */
export const JWS_ERROR_CODES = [
  "not_three_segments",
  "payload_not_empty",
  "header_not_base64url",
  "header_malformed",
  "header_member_duplicate",
  "header_member_unknown",
  "alg_not_es256",
  "b64_not_false",
  "crit_not_b64",
  "kid_malformed",
  "signature_not_base64url",
  "signature_length",
  "signature_out_of_range",
  "signature_mismatch",
] as const;

/** One of {@link JWS_ERROR_CODES}. */
export type JwsErrorCode = (typeof JWS_ERROR_CODES)[number];

/** A refused JWS. */
export interface JwsRefusal {
  /** A refusal. */
  readonly ok: false;
  /** The reason. */
  readonly code: JwsErrorCode;
}
