import { ABSOLUTE_TARGET, addedHeaders, REMOVED_AT_THE_END } from "./headers.ts";
import { STREAMS_CLUSTER } from "./clusters.ts";
import { overwrite, seconds, type Section } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";

/** Every path that is handed on, and nothing else. Plain segments only: no escape, no dot segment, no `;`. */
const SEGMENTS = "(/[A-Za-z0-9_-][A-Za-z0-9_.~-]*)+";
const PATHS: readonly Section[] = [
  { safe_regex: { regex: `/v1${SEGMENTS}` } },
  { path: "/health" },
  { path: "/oauth/token" },
  { path: "/oauth/revoke" },
  { path: "/.well-known/oauth-authorization-server" },
  { path: "/.well-known/jwks.json" },
  { path: "/openapi.json" },
  { path: "/docs" },
];
const SANDBOX_PATHS: readonly Section[] = [{ path: "/sandbox/fund" }];

/** Methods that some endpoint could know; which one knows which is the service's word (405). */
const METHODS = "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS";

/**
 * Which requests are handed on: to these names, these paths, by these methods. The target goes
 * on byte for byte, query included, because it is what was signed (Decision D20).
 */
export function routeConfiguration(settings: SidecarSettings): Section {
  const paths = settings.environment === "sandbox" ? [...PATHS, ...SANDBOX_PATHS] : PATHS;
  return {
    name: "partners",
    ignore_port_in_host_matching: true,
    request_headers_to_add: addedHeaders(),
    request_headers_to_remove: REMOVED_AT_THE_END,
    virtual_hosts: [{
      name: "service",
      domains: settings.serverNames,
      routes: [
        ...UNWANTED,
        refused({ prefix: "/", headers: [method({ invert_match: true })] }),
        {
          match: { path: "/v1/events/stream" },
          // It ends when the service says so, or nothing has come for a while, not even a heartbeat.
          route: {
            cluster: STREAMS_CLUSTER,
            timeout: "0s",
            idle_timeout: seconds(settings.limits.streamIdleSeconds),
            max_stream_duration: { max_stream_duration: "0s" },
          },
        },
        ...paths.map((path) => ({
          match: path,
          // No retry policy, here or anywhere: only the partner may repeat, with its key.
          route: { cluster: "service", timeout: seconds(settings.limits.answerSeconds) },
        })),
      ],
    }, {
      name: "nobody",
      domains: ["*"],
      routes: [...UNWANTED, refused({ prefix: "/" }, 404)],
    }],
  };
}

/**
 * Refused on any host: absolute targets, and the half of an upgrade to HTTP/2 (RFC 7540 §3.2.1)
 * that Envoy leaves when the other half is missing.
 */
const UNWANTED: readonly Section[] = [ABSOLUTE_TARGET, "http2-settings"].map((name) =>
  refused({ prefix: "/", headers: [{ name, present_match: true }] })
);

/** 400, and the connection is closed, so that nothing behind it is read. */
function refused(match: Section, status = 400): Section {
  return {
    match,
    direct_response: { status },
    response_headers_to_add: [overwrite("connection", "close")],
  };
}

function method(extra: Section): Section {
  return { name: ":method", string_match: { safe_regex: { regex: METHODS } }, ...extra };
}
