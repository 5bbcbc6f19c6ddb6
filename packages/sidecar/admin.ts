import { adminSocket } from "./folders.ts";
import type { Section } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";

/**
 * Envoy's admin: on a Unix socket of its own user, and of it only what tells and what drains.
 * Nothing there changes the log level, ends Envoy or shows the configuration.
 */
export function adminSection(settings: SidecarSettings): Section {
  return {
    address: { pipe: { path: adminSocket(settings.socketFolder), mode: 0o600 } },
    allow_paths: [
      { prefix: "/stats" }, // a prefix, because an exact path does not match a query
      { exact: "/ready" },
      { exact: "/certs" },
      { prefix: "/listeners" }, // which port a listener on port 0 was given
      { prefix: "/drain_listeners" },
    ],
  };
}
