/** Values of columns, separate from the tables for programs that load no database. */

/** What a person may be trusted with; which acts each one opens is in `terms/rights.ts`. */
export const ROLES = [
  "auditor",
  "support",
  "partners",
  "treasury",
  "vault",
  "custodian",
  "prices",
  "administrator",
] as const;
export type Role = (typeof ROLES)[number];

/** The classes of Decision D42, and the nonces that a partner has stored (Decision D25). */
export const RATE_CLASSES = ["token", "read", "write", "signed", "nonces"] as const;
export type RateClass = (typeof RATE_CLASSES)[number];

/** How the token endpoint authenticates a client (RFC 8414 §2; Decision D76). */
export const TOKEN_AUTHS = ["client_secret_post", "tls_client_auth"] as const;
export type TokenAuth = (typeof TOKEN_AUTHS)[number];
