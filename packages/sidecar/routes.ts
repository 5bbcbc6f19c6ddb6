import { addedHeaders, REMOVED_AT_THE_END } from "./headers.ts";
import { seconds, type Section } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";

/** Every path that is handed on, and nothing else. Plain segments only: no escape, no dot segment, no `;`. */
const SEGMENTS = "(/[A-Za-z0-9_-][A-Za-z0-9_.~-]*)+";
const PATHS: readonly Section[] = [
  { safe_regex: { regex: `/v1${SEGMENTS}` } },
  { path: "/health" },
  { path: "/oauth/token" },
  { path: "/.well-known/oauth-authorization-server" },
  { path: "/.well-known/jwks.json" },
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
        {
          match: { prefix: "/", headers: [method({ invert_match: true })] },
          direct_response: { status: 400 },
        },
        ...paths.map((path) => ({
          match: path,
          // No retry policy, here or anywhere: only the partner may repeat, with its key.
          route: { cluster: "service", timeout: seconds(settings.limits.answerSeconds) },
        })),
      ],
    }],
  };
}

function method(extra: Section): Section {
  return { name: ":method", string_match: { safe_regex: { regex: METHODS } }, ...extra };
}
