/** The header names of the contract, in lower case as HTTP/2 and both runtimes give them. */
export const HEADER = {
  authorization: "authorization",
  contentType: "content-type",
  /** Every write (Spec §5 Idempotency). */
  idempotencyKey: "idempotency-key",
  /** `true` on the answer to a repeated write (Decision D28). */
  idempotentReplayed: "idempotent-replayed",
  /** Signed requests (Spec §5). */
  timestamp: "x-timestamp",
  nonce: "x-nonce",
  jwsSignature: "x-jws-signature",
  /** On a signed probe: the string that the signer signed, in base64url (Decision D15). */
  signedString: "sabika-signed-string",
  /** On every reply (Decision D31). */
  requestId: "x-request-id",
  retryAfter: "retry-after",
  wwwAuthenticate: "www-authenticate",
  rateLimit: "ratelimit",
  rateLimitPolicy: "ratelimit-policy",
  /** The failure to simulate, only in the sandbox (Decision D55). */
  simulate: "sabika-simulate",
  /** Set only by the sidecar: the certificate's hash, the caller's address, the edge secret. */
  forwardedClientCert: "x-forwarded-client-cert",
  peerAddress: "x-sabika-peer-address",
  edgeSecret: "x-sabika-edge",
  /** Standard Webhooks (Decision D33). */
  webhookId: "webhook-id",
  webhookTimestamp: "webhook-timestamp",
  webhookSignature: "webhook-signature",
} as const;

/** One of the names. */
export type HeaderName = (typeof HEADER)[keyof typeof HEADER];

/** The media type of an error answer (RFC 9457). */
export const PROBLEM_MEDIA_TYPE = "application/problem+json";
/** The media type of requests and answers. */
export const JSON_MEDIA_TYPE = "application/json";
/** The media type of the token request (RFC 6749 §4.4.2). */
export const FORM_MEDIA_TYPE = "application/x-www-form-urlencoded";
