import {
  ERROR_CODES,
  OAUTH_ERROR_CODES,
  oauthErrorToJson,
  problemJson,
  refuse,
  RETRYABLE,
  STATUS_OF,
  TITLE_OF,
} from "@sabika/protocol";

/** The committed file; the other vectors are written by hand. */
export const REFUSAL_VECTORS_FILE = new URL("../../docs/vectors/refusals.json", import.meta.url);

const REQUEST_ID = "req_01a1f85e-29a6-7440-a1da-ccc3cd98406e";

/** Makes docs/vectors/refusals.json: every error code, and answers as a client receives them. */
export function refusalVectors(): string {
  const vectors = {
    about: "Every error code with its status, whether the same request may be repeated (signed " +
      "afresh, with the same Idempotency-Key), its title, and a whole body as it is answered. " +
      "outcome_unknown also comes with 502 and 503. token: bodies of the token endpoint's refusals.",
    source: "RFC 9457, RFC 6749 §5.2; Decisions D31, D32",
    media_type: "application/problem+json",
    codes: ERROR_CODES.map((code) => ({
      code,
      status: STATUS_OF[code],
      retryable: RETRYABLE[code],
      title: TITLE_OF[code],
      body: problemJson(refuse(code), { instance: "/v1/orders", requestId: REQUEST_ID }),
    })),
    token: OAUTH_ERROR_CODES.map((code) => ({
      code,
      body: oauthErrorToJson(code, "The token request is refused."),
    })),
  };
  return `${JSON.stringify(vectors, null, 2)}\n`;
}
