/** The headers of answers, by name, with their meaning and whether they are always present. */
export const RESPONSE_HEADERS: Readonly<
  Record<string, { description: string; required?: true; schema: Record<string, unknown> }>
> = {
  "X-Request-Id": {
    description: "The id of this request; quote it when you write to the operator.",
    required: true,
    schema: { type: "string" },
  },
  "RateLimit": {
    description: "What is left of your rate limit, and the seconds until it is whole again: " +
      '`"read";r=3999;t=1`.',
    schema: { type: "string" },
  },
  "RateLimit-Policy": {
    description: 'Your rate limit and its window in seconds: `"read";q=4000;w=2`.',
    schema: { type: "string" },
  },
  "Retry-After": {
    description: "Seconds to wait before the request is sent again.",
    schema: { type: "integer", minimum: 0 },
  },
  "WWW-Authenticate": {
    description: "What is wrong with the token (RFC 6750 §3).",
    schema: { type: "string" },
  },
  "Idempotent-Replayed": {
    description: "This key was used before; nothing was done now.",
    required: true,
    schema: { const: "true" },
  },
};

/** Makes references to the headers of a response with this status, by name, and to `more` of them. */
export function headersOf(status: number, more: readonly string[] = []): Record<string, unknown> {
  const waits = status === 429 || status === 503 || status === 504;
  const names = [
    "X-Request-Id",
    "RateLimit",
    "RateLimit-Policy",
    ...(waits ? ["Retry-After"] : []),
    ...(status === 401 ? ["WWW-Authenticate"] : []),
    ...more,
  ];
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
