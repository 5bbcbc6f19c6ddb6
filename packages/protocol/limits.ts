/** The limits of the contract that apply to every partner (Spec §8; Decisions D2, D3, D10 to D29). */

/** The validity of an access token. */
export const ACCESS_TOKEN_SECONDS = 600;
/** The time for which a quote is firm (Decision D10). */
export const QUOTE_VALIDITY_SECONDS = 60;
/** The validity of a client certificate. */
export const CERTIFICATE_VALIDITY_DAYS = 365;
/** How long an old credential stays valid beside its successor if nobody says otherwise. */
export const OVERLAP_SECONDS_DEFAULT = 604_800;
/** The shortest overlap that a partner can ask for: nobody is cut off who looks in once an hour. */
export const OVERLAP_SECONDS_MIN = 3_600;
/** The longest overlap that a partner can ask for. */
export const OVERLAP_SECONDS_MAX = 2_592_000;

/** X-Timestamp may differ from the service's clock by this much, inclusive (Decision D24). */
export const TIMESTAMP_WINDOW_SECONDS = 300;
/** The shortest nonce (Decision D25). */
export const NONCE_MIN_LENGTH = 16;
/** The longest nonce. */
export const NONCE_MAX_LENGTH = 128;
/** Nonces are kept for at least twice the window and a margin (Decision D25). */
export const NONCE_RETENTION_MIN_SECONDS = 660;
/** The time for which nonces are kept in production. */
export const NONCE_RETENTION_SECONDS = 86_400;
/** The longest Idempotency-Key. */
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;
/** The longest `client_reference`, in characters. */
export const CLIENT_REFERENCE_MAX_LENGTH = 64;

/** The longest body of a request. */
export const BODY_LIMIT_BYTES = 65_536;
/** The most levels of nested JSON. */
export const JSON_MAX_DEPTH = 32;

/** The items on a page by default (Decision D19). */
export const PAGE_LIMIT_DEFAULT = 20;
/** The most items on a page. */
export const PAGE_LIMIT_MAX = 100;
/** The most events that one request can have delivered again (Decision D35). */
export const REDELIVERY_MAX_EVENTS = 1_000;
/** The quotes of a partner that may be open at once, by default. */
export const OPEN_QUOTES_LIMIT_DEFAULT = 100;

/** The smallest amount of a quote. */
export const QUOTE_MIN_MICROGRAMS = 10_000n;
/** The largest amount of a quote. */
export const QUOTE_MAX_MICROGRAMS = 10_000_000_000n;
/** The smallest funding of the sandbox. */
export const FUNDING_MIN_HALALAS = 100n;
/** The largest funding of the sandbox. */
export const FUNDING_MAX_HALALAS = 1_000_000_000n;

/** The time limit of an attempt to deliver an event (Decision D35). */
export const WEBHOOK_TIMEOUT_SECONDS = 15;
/** A webhook's timestamp may differ from the receiver's clock by this much (Standard Webhooks). */
export const WEBHOOK_TOLERANCE_SECONDS = 300;
