/** The figures of the contract that hold for every partner (Spec §8; Decisions D2, D3, D10 to D29). */

export const ACCESS_TOKEN_SECONDS = 600;
export const QUOTE_VALIDITY_SECONDS = 60;
export const CERTIFICATE_VALIDITY_DAYS = 365;

/** X-Timestamp may differ from the service's clock by this much, inclusive (Decision D24). */
export const TIMESTAMP_WINDOW_SECONDS = 300;
export const NONCE_MIN_LENGTH = 16;
export const NONCE_MAX_LENGTH = 128;
/** A nonce is remembered at least twice the window and a margin (Decision D25). */
export const NONCE_RETENTION_MIN_SECONDS = 660;
export const NONCE_RETENTION_SECONDS = 86_400;
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;
export const CLIENT_REFERENCE_MAX_LENGTH = 64;

export const BODY_LIMIT_BYTES = 65_536;
export const JSON_MAX_DEPTH = 32;

export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;
export const OPEN_QUOTES_LIMIT_DEFAULT = 100;

export const QUOTE_MIN_MICROGRAMS = 10_000n;
export const QUOTE_MAX_MICROGRAMS = 10_000_000_000n;
export const FUNDING_MIN_HALALAS = 100n;
export const FUNDING_MAX_HALALAS = 1_000_000_000n;

/** An attempt to deliver an event may take this long (Decision D35). */
export const WEBHOOK_TIMEOUT_SECONDS = 15;
export const WEBHOOK_TOLERANCE_SECONDS = 300;
