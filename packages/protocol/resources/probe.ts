import { jsonString } from "../json_text.ts";
import { formatTime } from "../times.ts";

/** Which of the two allowed forms of the URL was signed (Decision D20). */
export const URL_FORMS = ["absolute", "origin"] as const;
export type UrlForm = (typeof URL_FORMS)[number];

/** The good answer of POST /v1/signed-probe (Decision D15). */
export interface SignedProbe {
  readonly keyId: string;
  readonly urlForm: UrlForm;
  /** Lower-case hex SHA-256 of the canonical string. */
  readonly canonicalSha256: string;
  readonly serverTimeMs: number;
  /** X-Timestamp minus the service's time, in whole seconds. */
  readonly skewSeconds: number;
}

/** The probe's wire form. */
export function probeToJson(probe: SignedProbe): string {
  return `{"verified":true,"key_id":${jsonString(probe.keyId)},"url_form":"${probe.urlForm}",` +
    `"canonical_sha256":"${probe.canonicalSha256}",` +
    `"server_time":"${formatTime(probe.serverTimeMs)}","skew_seconds":${probe.skewSeconds}}`;
}
