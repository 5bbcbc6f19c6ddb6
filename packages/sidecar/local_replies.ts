import { type ErrorCode, RETRYABLE, TITLE_OF } from "@sabika/protocol";
import { type Profile, PROFILES } from "./profiles.ts";
import { overwrite, type Section, type Value } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";

/** The codes of refusals that come from Envoy itself, each with its detail (Decision D32). */
const DETAIL_OF = {
  malformed_request: "The sidecar could not read the request; nothing was carried out.",
  not_found: "No endpoint has this host and path.",
  method_not_allowed: "No endpoint has this method; nothing was carried out.",
  request_timeout: "The request did not arrive in time; nothing was carried out.",
  payload_too_large: "The body has too many bytes; nothing was carried out.",
  rate_limited: "The sidecar's own limit was reached; nothing was carried out.",
  headers_too_large: "The headers are too many or too long; nothing was carried out.",
  outcome_unknown: "The request was forwarded and no answer came; it may have been carried out.",
  service_unavailable: "The request was not forwarded.",
} as const satisfies Partial<Record<ErrorCode, string>>;

type EdgeCode = keyof typeof DETAIL_OF;

/** Envoy's response flags for requests that were forwarded, or may have been. */
const FORWARDED = ["UC", "UR", "UT", "UPE", "UMSDR", "DT", "SI", "LR"];
/** Envoy's response flags for requests that never left the sidecar. */
const NEVER_LEFT = ["UF", "UH", "UO", "NC", "OM"];

/**
 * Turns every refusal by Envoy itself into problem+json with our codes (Decision D31). The first
 * mapper that matches decides, so those for requests that may have been carried out come first.
 */
export function localReplies(settings: SidecarSettings): Section {
  const profile = PROFILES[settings.profile];
  const refusals = refusalsInOrder(settings);
  return {
    body_format: problem(profile, "malformed_request"),
    mappers: [
      // A request that could not be read has no id yet, so it gets a new one.
      ...refusals.map((refusal) =>
        mapper(
          { ...refusal, filter: { and_filter: { filters: [refusal.filter, WITHOUT_ID] } } },
          "%UNIQUE_ID%",
          profile,
        )
      ),
      ...refusals.map((refusal) => mapper(refusal, "%STREAM_ID%", profile)),
    ],
  };
}

const WITHOUT_ID: Section = {
  header_filter: { header: { name: "x-request-id", present_match: true, invert_match: true } },
};

/** The answer to one kind of Envoy's refusals; `newStatus` replaces Envoy's own status. */
interface Mapping {
  filter: Section;
  code: EdgeCode;
  /** Replaces the code's usual detail. */
  detail?: string;
  newStatus?: number;
  headers?: Section[];
}

function refusalsInOrder({ limits, methods, profile }: SidecarSettings): Mapping[] {
  const soon = [overwrite("retry-after", "1")];
  return [
    { filter: flags(["DT", "SI", "UMSDR"]), code: "outcome_unknown", newStatus: 504 },
    { filter: flags(FORWARDED), code: "outcome_unknown" },
    { filter: flags(NEVER_LEFT), code: "service_unavailable", newStatus: 503, headers: soon },
    // Envoy answers 401 without a secret to add, whose file was missing when Envoy started.
    { filter: status(401), code: "service_unavailable", newStatus: 503, headers: soon },
    { filter: status(404), code: "not_found" },
    ...(PROFILES[profile].wrongMethod === 405
      ? [{
        filter: status(405),
        code: "method_not_allowed" as const,
        headers: [overwrite("allow", methods.join(", "))],
      }]
      : []),
    { filter: status(408), code: "request_timeout" },
    {
      filter: status(413),
      code: "payload_too_large",
      detail: `A body may have ${limits.bodyBytes} bytes; nothing was carried out.`,
    },
    { filter: status(429), code: "rate_limited", headers: soon },
    { filter: status(431), code: "headers_too_large" },
    // Envoy answers 501 to a transfer coding that it does not know.
    { filter: status(501), code: "malformed_request", newStatus: 400 },
    { filter: status(500, "GE"), code: "outcome_unknown" },
    { filter: status(400, "GE"), code: "malformed_request", newStatus: 400 },
  ];
}

function mapper(
  { filter, code, detail, newStatus, headers = [] }: Mapping,
  id: string,
  profile: Profile,
): Section {
  return {
    filter,
    ...(newStatus === undefined ? {} : { status_code: newStatus }),
    headers_to_add: [
      overwrite("x-request-id", profile.requestIdPrefix + id),
      overwrite("cache-control", "no-store"),
      ...headers,
    ],
    body_format_override: problem(profile, code, detail),
  };
}

function problem(
  profile: Profile,
  code: EdgeCode,
  detail: string = DETAIL_OF[code],
): Section {
  return {
    content_type: "application/problem+json",
    json_format: {
      type: profile.problemType(code),
      title: TITLE_OF[code],
      status: "%RESPONSE_CODE%",
      detail,
      instance: "%PATH(NQ:PATH):200%",
      code,
      request_id: "%RESP(X-REQUEST-ID)%",
      retryable: RETRYABLE[code],
    },
  };
}

function flags(list: readonly string[]): Section {
  return { response_flag_filter: { flags: list } };
}

/** @param op whether Envoy's own status must equal `code` or be at least as high */
function status(code: number, op: "EQ" | "GE" = "EQ"): Section {
  // Envoy requires a runtime key beside the value; this key is never set.
  const value: Value = { default_value: code, runtime_key: "none" };
  return { status_code_filter: { comparison: { op, value } } };
}
