import type { Limits } from "./limits.ts";
import { sdsReference } from "./sds_names.ts";
import { overwrite, type Section, standard } from "./section.ts";

const ALWAYS = { default_value: { numerator: 100, denominator: "HUNDRED" } };

/**
 * The way of a request inside Envoy: read whole, counted, given the secret, handed on. What is refused
 * before it is read whole costs its connection (HTTP/1.1), and its caller's next one a handshake.
 */
export function httpFilters(folder: string, limits: Limits): Section[] {
  return [noTunnels(), wholeBody(limits), rateLimit(limits), edgeSecret(folder), router()];
}

/** CONNECT is refused at once; the buffer would wait for the end of a tunnel that has none. */
function noTunnels(): Section {
  const tunnel = { header: { name: ":method", string_match: { exact: "CONNECT" } } };
  return standard("filters.http.rbac", "RBAC", {
    rules: {
      action: "DENY",
      policies: { tunnels: { permissions: [tunnel], principals: [{ any: true }] } },
    },
  });
}

/**
 * The edge's own limit, far above a partner's (Decision D42 is the service's): one bucket a
 * certificate, so that one partner's flood does not spend another's share, and one for each filter chain.
 */
function rateLimit(limits: Limits): Section {
  return standard("filters.http.local_ratelimit", "LocalRateLimit", {
    stat_prefix: "edge",
    token_bucket: bucket(limits.totalBurst, limits.totalRequestsPerSecond),
    // Without these two the filter counts and lets everything pass.
    filter_enabled: ALWAYS,
    filter_enforced: ALWAYS,
    status: { code: "TooManyRequests" },
    rate_limits: [{
      actions: [{
        request_headers: {
          header_name: "x-forwarded-client-cert",
          descriptor_key: "certificate",
        },
      }],
    }],
    descriptors: [{
      // Without a value: a bucket for each certificate that comes.
      entries: [{ key: "certificate" }],
      token_bucket: bucket(limits.burst, limits.requestsPerSecond),
    }],
    max_dynamic_descriptors: 4_096,
    always_consume_default_token_bucket: true,
    response_headers_to_add: [overwrite("retry-after", "1")],
  });
}

/** A bucket that is filled up to twenty times a second, so that a limit is no wave. */
function bucket(burst: number, perSecond: number): Section {
  const fills = Math.min(20, perSecond);
  return {
    max_tokens: burst,
    tokens_per_fill: Math.max(1, Math.floor(perSecond / fills)),
    fill_interval: `${1 / fills}s`,
  };
}

/** Reads the body whole before the service sees anything; the only limit that answers 413. */
function wholeBody(limits: Limits): Section {
  return standard("filters.http.buffer", "Buffer", { max_request_bytes: limits.bodyBytes });
}

/** The secret that proves to the service that the sidecar speaks; without one nothing is handed on. */
function edgeSecret(folder: string): Section {
  return standard("filters.http.credential_injector", "CredentialInjector", {
    overwrite: true,
    allow_request_without_credential: false,
    credential: standard("http.injected_credentials.generic", "Generic", {
      header: "x-sabika-edge",
      credential: sdsReference(folder, "edge_secret"),
    }),
  });
}

function router(): Section {
  return standard("filters.http.router", "Router", { suppress_envoy_headers: true });
}
