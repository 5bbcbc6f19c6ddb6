import type { Limits } from "./limits.ts";
import { overwrite, type Section, type Value } from "./section.ts";

/** A refusal that Envoy gives by itself: its code, title and `retryable` are the protocol's (Decision D32). */
export interface EdgeRefusal {
  code: string;
  title: string;
  detail: string;
  retryable: boolean;
}

export const EDGE_REFUSALS = {
  malformedRequest: {
    code: "malformed_request",
    title: "The request is not well-formed HTTP",
    detail: "The sidecar could not read it; nothing was carried out.",
    retryable: false,
  },
  notFound: {
    code: "not_found",
    title: "There is nothing here",
    detail: "No endpoint has this host and path.",
    retryable: false,
  },
  requestTimeout: {
    code: "request_timeout",
    title: "The request did not arrive in time",
    detail: "It was not whole within its time; nothing was carried out.",
    retryable: true,
  },
  payloadTooLarge: {
    code: "payload_too_large",
    title: "The body is too large",
    detail: "A body may not have so many bytes; nothing was carried out.",
    retryable: false,
  },
  rateLimited: {
    code: "rate_limited",
    title: "Too many requests",
    detail: "The sidecar's own limit was reached; nothing was carried out.",
    retryable: true,
  },
  headersTooLarge: {
    code: "headers_too_large",
    title: "The headers are too large",
    detail: "They are too many or too long; nothing was carried out.",
    retryable: false,
  },
  outcomeUnknown: {
    code: "outcome_unknown",
    title: "The outcome is not known; repeat with the same Idempotency-Key",
    detail: "The request was handed on and no answer came; it may have been carried out.",
    retryable: true,
  },
  serviceUnavailable: {
    code: "service_unavailable",
    title: "The service is not available at the moment; nothing was carried out",
    detail: "The request was not handed on.",
    retryable: true,
  },
} as const satisfies Record<string, EdgeRefusal>;

/** The request was handed on (or may have been) when it ended so. */
const HANDED_ON = ["UC", "UR", "UT", "UPE", "UMSDR", "DT", "SI", "LR"];
/** The request never left the sidecar. */
const NEVER_LEFT = ["UF", "UH", "UO", "NC", "OM"];

/**
 * Every refusal of Envoy's own, as problem+json with our codes (Decision D31). The first mapper
 * that fits is taken: what may have been carried out comes first, so nothing can hide it.
 */
export function localReplies(limits: Limits): Section {
  const refusals = refusalsInOrder(limits);
  return {
    body_format: problem(EDGE_REFUSALS.malformedRequest),
    mappers: [
      // What could not even be read has no id yet: it gets one of its own.
      ...refusals.map((refusal) =>
        mapper({ ...refusal, filter: allOf(refusal.filter, WITHOUT_ID) }, "%UNIQUE_ID%")
      ),
      ...refusals.map((refusal) => mapper(refusal, "%STREAM_ID%")),
    ],
  };
}

const WITHOUT_ID: Section = {
  header_filter: { header: { name: "x-request-id", present_match: true, invert_match: true } },
};

/** When Envoy refuses so, this is said, with this status where Envoy's own is not ours. */
interface Mapping {
  filter: Section;
  refusal: EdgeRefusal;
  newStatus?: number;
  headers?: Section[];
}

function refusalsInOrder(limits: Limits): Mapping[] {
  const soon = [overwrite("retry-after", "1")];
  const tooLarge = {
    ...EDGE_REFUSALS.payloadTooLarge,
    detail: `A body may have ${limits.bodyBytes} bytes; nothing was carried out.`,
  };
  const unknown = EDGE_REFUSALS.outcomeUnknown;
  const unavailable = EDGE_REFUSALS.serviceUnavailable;
  return [
    { filter: flags(["DT", "SI", "UMSDR"]), refusal: unknown, newStatus: 504 },
    { filter: flags(HANDED_ON), refusal: unknown },
    { filter: flags(NEVER_LEFT), refusal: unavailable, newStatus: 503, headers: soon },
    // 401 is Envoy without a secret to add: its file was missing when it started.
    { filter: status(401), refusal: unavailable, newStatus: 503, headers: soon },
    { filter: status(404), refusal: EDGE_REFUSALS.notFound },
    { filter: status(408), refusal: EDGE_REFUSALS.requestTimeout },
    { filter: status(413), refusal: tooLarge },
    { filter: status(429), refusal: EDGE_REFUSALS.rateLimited, headers: soon },
    { filter: status(431), refusal: EDGE_REFUSALS.headersTooLarge },
    // 501 is a transfer coding that Envoy does not know.
    { filter: status(501), refusal: EDGE_REFUSALS.malformedRequest, newStatus: 400 },
    { filter: atLeast(500), refusal: unknown },
    { filter: atLeast(400), refusal: EDGE_REFUSALS.malformedRequest, newStatus: 400 },
  ];
}

function mapper({ filter, refusal, newStatus, headers = [] }: Mapping, id: string): Section {
  return {
    filter,
    ...(newStatus === undefined ? {} : { status_code: newStatus }),
    headers_to_add: [
      overwrite("x-request-id", `req_${id}`),
      overwrite("cache-control", "no-store"),
      ...headers,
    ],
    body_format_override: problem(refusal),
  };
}

function problem({ code, title, detail, retryable }: EdgeRefusal): Section {
  return {
    content_type: "application/problem+json",
    json_format: {
      type: `urn:sabika:error:${code}`,
      title,
      status: "%RESPONSE_CODE%",
      detail,
      instance: "%PATH(NQ:PATH):200%",
      code,
      request_id: "%RESP(X-REQUEST-ID)%",
      retryable,
    },
  };
}

function flags(list: readonly string[]): Section {
  return { response_flag_filter: { flags: list } };
}

function status(code: number): Section {
  return compare("EQ", code);
}

function atLeast(code: number): Section {
  return compare("GE", code);
}

function compare(op: string, code: number): Section {
  // Envoy wants a key of its runtime beside the value; this one is never set.
  const value: Value = { default_value: code, runtime_key: "none" };
  return { status_code_filter: { comparison: { op, value } } };
}

function allOf(...filters: Section[]): Section {
  return { and_filter: { filters } };
}
