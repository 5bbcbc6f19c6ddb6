/**
 * The ways in which a signed string is commonly built wrong, each with what to change: the closed
 * list that the signed probe answers with (Decision D15). The messages are fixed, so nothing of a
 * request can leak through them.
 */
export const DIAGNOSIS_MESSAGES = {
  correct: "The signature fits this request; what was refused is something else: see code.",
  jws_form: "What was signed is right, but the JWS around it has not the required form: " +
    "the protected header is exactly alg, b64, crit and optionally kid, the payload segment is " +
    "empty, and both other segments are base64url without padding.",
  url_scheme: "The URL was signed with another scheme; sign https://.",
  url_host: "The URL was signed with another host or port; sign the base URL of this environment.",
  url_base_path: "The URL was signed with another base path; " +
    "sign the whole path as it is sent, /v1 included.",
  url_without_query: "The URL was signed without its query string; sign it with the query.",
  url_trailing_slash: "The URL was signed with a slash more or less at the end of its path.",
  method_lower_case: "The method was signed in lower case; sign it as it is sent: POST.",
  body_hash_upper_case: "The body's hash was signed in upper case; sign lower-case hexadecimal.",
  body_hash_base64: "The body's hash was signed as base64; sign lower-case hexadecimal.",
  body_hash_of_reserialised_json: "The hash is of another text of the same JSON; " +
    "hash the very bytes that are sent.",
  body_hash_of_nothing: "The hash is of an empty body, or was left out; hash the bytes sent.",
  timestamp_milliseconds: "The timestamp is in milliseconds; use the Unix time in seconds.",
  line_ends_crlf: "The parts were joined by CR LF; join them by LF alone.",
  final_line_feed: "A line end was signed after the last part; nothing follows the nonce.",
  parts_swapped: "The parts were signed in another order; " +
    "the order is method, URL, body hash, timestamp, nonce.",
  payload_base64url: "The payload was signed in base64url, as with b64=true; " +
    "sign the protected header, a full stop and the canonical string as it is.",
  signature_der: "The signature is in DER; send r and s, 32 bytes each, one after the other.",
  other_key: "The signature fits another active key of yours; kid must name the key that signed.",
  none: "No common mistake explains it; compare your canonical string with the documentation's.",
} as const;

export type DiagnosisForm = keyof typeof DIAGNOSIS_MESSAGES;

/** What the probe found out: the form that fits, and a sentence on what to change. */
export interface Diagnosis {
  readonly form: DiagnosisForm;
  readonly message: string;
}

export const DIAGNOSIS_FORMS = Object.keys(DIAGNOSIS_MESSAGES) as readonly DiagnosisForm[];
