/**
 * The ways in which a signed string is commonly built wrong: the closed list that the signed
 * probe answers with (Decision D15).
 */
export const DIAGNOSIS_FORMS = [
  "url_scheme",
  "url_host",
  "url_base_path",
  "url_without_query",
  "url_trailing_slash",
  "method_lower_case",
  "body_hash_upper_case",
  "body_hash_base64",
  "body_hash_of_reserialised_json",
  "body_hash_of_nothing",
  "timestamp_milliseconds",
  "line_ends_crlf",
  "final_line_feed",
  "parts_swapped",
  "payload_base64url",
  "signature_der",
  "other_key",
  "none",
] as const;

export type DiagnosisForm = (typeof DIAGNOSIS_FORMS)[number];

/** What the probe found out: the form that fits, and a sentence on what to change. */
export interface Diagnosis {
  readonly form: DiagnosisForm;
  readonly message: string;
}
