import { type Form, INTEGER, oneOf, STRING, TIME } from "../form.ts";
import { constant, member, record } from "../record_form.ts";

/** Which of the two allowed forms of the URL was signed (Decision D20). */
export const URL_FORMS = ["absolute", "origin"] as const;
/** One of {@link URL_FORMS}. */
export type UrlForm = (typeof URL_FORMS)[number];

/** The successful answer of POST /v1/signed-probe (Decision D15). */
export interface SignedProbe {
  /** RFC 7638 thumbprint of the key. */
  readonly keyId: string;
  /** Which form of the URL was signed. */
  readonly urlForm: UrlForm;
  /** Lower-case hex SHA-256 of the canonical string. */
  readonly canonicalSha256: string;
  /** The time of the service. */
  readonly serverTimeMs: number;
  /** X-Timestamp minus the service's time, in whole seconds. */
  readonly skewSeconds: number;
}

/** The form of the successful answer of POST /v1/signed-probe. */
export const SIGNED_PROBE: Form<SignedProbe> = record<SignedProbe>("signed probe", {
  $verified: constant("true"),
  keyId: member("key_id", STRING, "The key that signed."),
  urlForm: member(
    "url_form",
    oneOf(URL_FORMS),
    "Whether the whole URL was signed or its path and query.",
  ),
  canonicalSha256: member(
    "canonical_sha256",
    STRING,
    "SHA-256 of the canonical string, in lower-case hex.",
  ),
  serverTimeMs: member("server_time", TIME, "When the request was received."),
  skewSeconds: member("skew_seconds", INTEGER, "X-Timestamp minus that time."),
});
