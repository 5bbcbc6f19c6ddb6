import { overwrite, type Section, standard } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";

/**
 * Headers by which a caller could speak in the sidecar's or another proxy's name, or turn a
 * request into another. They are taken out before Envoy looks at anything, because it obeys
 * some of them itself (`x-envoy-retry-on`, `x-envoy-upstream-rq-timeout-ms`).
 */
const REMOVED = [
  ...["forwarded", "via", "x-real-ip", "true-client-ip", "x-client-ip", "cf-connecting-ip"],
  ...["client-cert", "client-cert-chain", "ssl-client-cert", "x-ssl-client-cert"],
  ...[
    "x-original-url",
    "x-rewrite-url",
    "x-http-method-override",
    "x-http-method",
    "x-method-override",
  ],
  ...["x-request-id", "expect-ct", "proxy", "proxy-connection", "proxy-authorization"],
];
const REMOVED_PREFIXES = ["x-envoy-", "x-forwarded-", "x-sabika-"];

/**
 * Envoy drops an `Upgrade` that `Connection` does not name and serves the rest. With it named, each
 * request that has one is an upgrade, of which none is allowed: 400, and the connection is closed.
 * Without one Envoy takes the word out again; what the caller said of closing was read before.
 */
const UPGRADES_SHOW: Section = { append: overwrite("connection", "upgrade") };

/** There when the target was absolute: no other request has a scheme before Envoy gives it one. */
export const ABSOLUTE_TARGET = "x-sabika-absolute-target";
const ABSOLUTE_TARGETS_SHOW: Section = { append: overwrite(ABSOLUTE_TARGET, "%REQ(:SCHEME)%") };

/** In the sandbox alone the service does what it asks for (Decision D55). */
const SIMULATE = "sabika-simulate";

/** The mutation that comes before everything else. */
export function earlyRemovals(environment: SidecarSettings["environment"]): Section {
  const removed = environment === "sandbox" ? REMOVED : [...REMOVED, SIMULATE];
  return standard("http.early_header_mutation.header_mutation", "HeaderMutation", {
    mutations: [
      UPGRADES_SHOW,
      ...removed.map((name) => ({ remove: name })),
      ...REMOVED_PREFIXES.map((prefix) => ({
        remove_on_match: { key_matcher: { prefix, ignore_case: true } },
      })),
      ABSOLUTE_TARGETS_SHOW,
    ],
  });
}

/** What the sidecar says of the caller beside the certificate's hash and its own secret. */
export function addedHeaders(): Section[] {
  return [overwrite("x-sabika-peer-address", "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%")];
}

/** What Envoy adds by itself and nobody needs. */
export const REMOVED_AT_THE_END: readonly string[] = [
  "x-forwarded-proto",
  "x-envoy-external-address",
];
