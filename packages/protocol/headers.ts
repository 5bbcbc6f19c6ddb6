/**
 * Header names in lower case, as HTTP/2 has them: those of partners' requests and of the service's answers,
 * those of webhooks, and those that the sidecar adds.
 */
export const HEADER = {
  authorization: "authorization",
  contentType: "content-type",
  /** On every write: the caller's key, which makes repeating it safe (Spec §5 Idempotency). */
  idempotencyKey: "idempotency-key",
  /** `true` on the answer to a repeated write (Decision D28). */
  idempotentReplayed: "idempotent-replayed",
  /** On a signed request: Unix time in seconds (Spec §5 Signed requests). */
  timestamp: "x-timestamp",
  /** On a signed request: a value that the partner uses once. */
  nonce: "x-nonce",
  /** On a signed request: the detached JWS. */
  jwsSignature: "x-jws-signature",
  /** On a signed probe: the string that the signer signed, in base64url (Decision D15). */
  signedString: "sabika-signed-string",
  /** On every reply (Decision D31). */
  requestId: "x-request-id",
  /** On a refusal that says when to call again, in seconds. */
  retryAfter: "retry-after",
  /** The challenge on a refused token or client, and on `insufficient_scope` (RFC 6750 §3). */
  wwwAuthenticate: "www-authenticate",
  /** What is left of a rate limit (draft-ietf-httpapi-ratelimit-headers). */
  rateLimit: "ratelimit",
  /** The rate limit that applies: its quota, and its window in seconds. */
  rateLimitPolicy: "ratelimit-policy",
  /** The failure to simulate, only in the sandbox (Decision D55). */
  simulate: "sabika-simulate",
  /** The hash of the client's certificate; set only by the sidecar. */
  forwardedClientCert: "x-forwarded-client-cert",
  /** The address that the connection came from; set only by the sidecar. */
  peerAddress: "x-sabika-peer-address",
  /** The secret by which the service knows the sidecar; set only by the sidecar. */
  edgeSecret: "x-sabika-edge",
  /** On a webhook: the event's id (Standard Webhooks; Decision D33). */
  webhookId: "webhook-id",
  /** On a webhook: Unix time of the attempt, in seconds. */
  webhookTimestamp: "webhook-timestamp",
  /** On a webhook: its signatures, separated by spaces. */
  webhookSignature: "webhook-signature",
} as const;

/** A header name in {@linkcode HEADER}. */
export type HeaderName = (typeof HEADER)[keyof typeof HEADER];

/** The media type of errors (RFC 9457), but not of OAuth errors. */
export const PROBLEM_MEDIA_TYPE = "application/problem+json";
/** The media type of JSON requests and answers, and of OAuth errors (RFC 6749 §5.2). */
export const JSON_MEDIA_TYPE = "application/json";
/** The media type of the token request (RFC 6749 §4.4.2). */
export const FORM_MEDIA_TYPE = "application/x-www-form-urlencoded";
