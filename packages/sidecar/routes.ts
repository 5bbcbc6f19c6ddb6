import type { Limits } from "./limits.ts";
import { pathPattern, PROFILES } from "./profiles.ts";
import type { Section } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";

/** Makes the routes of the paths that are handed on; the first that matches counts. */
export function routesOf({ profile, paths, streams, limits }: SidecarSettings): Section[] {
  const route = { cluster: "service", timeout: `${limits.answerSeconds}s` };
  const match = (path: string): Section => {
    const regex = pathPattern(path, PROFILES[profile]);
    return regex === undefined ? { path } : { safe_regex: { regex } };
  };
  return [
    ...streams.map((path) => ({ match: { path }, route: streamRoute(limits) })),
    ...paths.map((path) => ({ match: match(path), route })),
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
