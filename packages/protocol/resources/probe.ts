import { jsonString } from "../json_text.ts";
import { formatTime } from "../times.ts";
import type { JsonValue } from "../json.ts";
import { ResourceReader } from "../resource_reader.ts";

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

/** Reads what `probeToJson` writes. Throws `WireFormatError`. */
export function probeFromJson(value: JsonValue): SignedProbe {
  const reader = new ResourceReader(value, "signed probe");
  return {
    keyId: reader.string("key_id"),
    urlForm: reader.oneOf("url_form", URL_FORMS),
    canonicalSha256: reader.string("canonical_sha256"),
    serverTimeMs: reader.timeMs("server_time"),
    skewSeconds: reader.integer("skew_seconds"),
  };
}
