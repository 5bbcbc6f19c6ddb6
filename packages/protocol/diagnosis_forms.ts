/**
 * The ways in which a signed string is commonly built wrong, each with what to change: the closed
 * list that the signed probe answers with (Decision D15). The messages are fixed, so nothing of a
 * request can leak through them.
 */
export const DIAGNOSIS_MESSAGES = {
  correct: "The signature fits this request; what was refused is something else: see code.",
  jws_form: "What was signed is right, but the JWS around it does not have the required form: " +
    "the protected header is exactly alg, b64, crit and optionally kid, the payload segment is " +
    "empty, and both other segments are base64url without padding.",
  url_scheme: "The URL was signed with another scheme; sign https://.",
  url_host: "The URL was signed with another host or port; sign the base URL of this environment.",
  url_base_path: "The URL was signed with another base path; " +
    "sign the whole path as it is sent, /v1 included.",
  url_without_query: "The URL was signed without its query string; sign it with the query.",
  url_trailing_slash: "The URL was signed with a slash more or less at the end of its path.",
  url_path: "The URL was signed with another path; sign the path that is called.",
  url_other: "Another URL was signed than the one that is called.",
  method_lower_case: "The method was signed in lower case; sign it as it is sent: POST.",
  method_other: "Another method was signed than the one that is sent: POST.",
  body_hash_upper_case: "The body's hash was signed in upper case; sign lower-case hexadecimal.",
  body_hash_base64: "The body's hash was signed as base64; sign lower-case hexadecimal.",
  body_hash_of_reserialised_json: "The hash is of another text of the same JSON; " +
    "hash the very bytes that are sent.",
  body_hash_of_nothing: "The hash is of an empty body, or was left out; hash the bytes sent.",
  body_hash_not_sha256: "The body was hashed with another function; use SHA-256.",
  body_hash_other: "The hash is of another body; hash the very bytes that are sent.",
  body_not_hashed: "The body itself was signed; sign its SHA-256 in lower-case hexadecimal.",
  timestamp_milliseconds: "The timestamp is in milliseconds; use the Unix time in seconds.",
  timestamp_other: "Another time was signed than the one in X-Timestamp; read the clock once.",
  nonce_other: "Another nonce was signed than the one in X-Nonce; make it once.",
  line_ends_crlf: "The parts were joined by CR LF; join them by LF alone.",
  final_line_feed: "A line end was signed after the last part; nothing follows the nonce.",
  parts_swapped: "The parts were signed in another order; " +
    "the order is method, URL, body hash, timestamp, nonce.",
  line_count: "What was signed does not have five lines: " +
    "method, URL, body hash, timestamp and nonce, joined by LF.",
  header_not_signed: "The canonical string was signed alone; " +
    "sign the protected header in base64url, a full stop and the canonical string.",
  payload_base64url: "The payload was signed in base64url, as with b64=true; " +
    "sign the protected header, a full stop and the canonical string as it is.",
  double_hash: "A hash was hashed again; give the signing function what is to be signed, " +
    "not its hash, and hash the body once.",
  signature_not_sha256: "The signature was made with another hash function; ES256 is ECDSA with " +
    "SHA-256.",
  signature_der: "The signature is in DER; send r and s, 32 bytes each, one after the other.",
  signature_missing: "X-JWS-Signature is missing or empty; " +
    "send the protected header, two full stops and the signature, both in base64url.",
  signature_unreadable:
    "The last segment is no signature; send r and s, 32 bytes each, one after " +
    "the other, in base64url without padding.",
  client_key: "The signature was made with the key of a client certificate (client.key); " +
    "sign with the signing key (signing.key).",
  other_key: "The signature fits another active key of yours; kid must name the key that signed.",
  unregistered_key: "The key that signed is none of your active signing keys; " +
    "GET /v1/me lists their ids, which are RFC 7638 thumbprints.",
  unregistered_key_or_nonce: "No common mistake under any of your active keys explains it: " +
    "the key that signed is not registered (GET /v1/me lists the ids), or a line has a value " +
    "that cannot be guessed, such as another nonce. Compare what you signed with " +
    "canonical_string, or send it in base64url as Sabika-Signed-String: that decides which.",
} as const;

/** One of the mistakes that are recognised, or `correct`. */
export type DiagnosisForm = keyof typeof DIAGNOSIS_MESSAGES;

/** The result of a diagnosis: the form that fits, and what to change. */
export interface Diagnosis {
  /** The mistake, or `correct`. */
  readonly form: DiagnosisForm;
  /** What is wrong and what to do, for people. */
  readonly message: string;
  /**
   * The string to be signed, with the absolute URL; undefined while X-Timestamp or X-Nonce are malformed.
   */
  readonly canonicalString?: string;
}

/** All forms of a diagnosis. */
export const DIAGNOSIS_FORMS = Object.keys(DIAGNOSIS_MESSAGES) as readonly DiagnosisForm[];
