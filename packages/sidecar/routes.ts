import type { Limits } from "./limits.ts";
import { pathPattern, PROFILES } from "./profiles.ts";
import type { Section } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";

/** The safe methods (RFC 9110 §9.2.1). */
const READS = { name: ":method", string_match: { safe_regex: { regex: "GET|HEAD|OPTIONS" } } };

/**
 * Makes the routes of the paths that are handed on; the first that matches counts. What is no read has
 * priority, by which Envoy keeps connections to the service apart.
 */
export function routesOf({ profile, paths, streams, limits }: SidecarSettings): Section[] {
  const route = { cluster: "service", timeout: `${limits.answerSeconds}s` };
  const match = (path: string): Section => {
    const regex = pathPattern(path, PROFILES[profile]);
    return regex === undefined ? { path } : { safe_regex: { regex } };
  };
  return [
    ...streams.map((path) => ({ match: { path }, route: streamRoute(limits) })),
    ...paths.flatMap((path) => [
      {
        match: { ...match(path), headers: [{ ...READS, invert_match: true }] },
        route: { ...route, priority: "HIGH" },
      },
      { match: match(path), route },
    ]),
  ];
}

/** A stream ends when the service says so, or when nothing has come for a while, not even a heartbeat. */
function streamRoute({ streamIdleSeconds }: Limits): Section {
  return {
    cluster: "streams",
    timeout: "0s",
    idle_timeout: `${streamIdleSeconds}s`,
    max_stream_duration: { max_stream_duration: "0s" },
  };
}
