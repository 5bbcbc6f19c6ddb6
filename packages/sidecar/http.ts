import { accessLog } from "./access_log.ts";
import { httpFilters } from "./filters.ts";
import { earlyRemovals } from "./headers.ts";
import { localReplies } from "./local_replies.ts";
import { routeConfiguration } from "./routes.ts";
import { extension, seconds, type Section, typed } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";
import { tracing } from "./tracing.ts";

export const CONNECTION_MANAGER = "envoy.filters.network.http_connection_manager";
export const CONNECTION_MANAGER_TYPE =
  "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";

/** HTTP from the partners: who calls, what is not read, how long and how much, and what is said to refusals. */
export function partnerHttp(settings: SidecarSettings): Section {
  const { limits } = settings;
  return extension(CONNECTION_MANAGER, CONNECTION_MANAGER_TYPE, {
    stat_prefix: "partners",
    codec_type: "HTTP1",
    server_header_transformation: "OVERWRITE",
    server_name: "sabika",
    ...identity(),
    ...rawTarget(),
    early_header_mutation_extensions: [earlyRemovals(settings.environment)],
    request_headers_timeout: seconds(limits.headersSeconds),
    request_timeout: seconds(limits.requestSeconds),
    stream_idle_timeout: seconds(limits.requestSeconds + limits.answerSeconds + 10),
    delayed_close_timeout: "1s",
    drain_timeout: "5s",
    max_request_headers_kb: limits.headersKilobytes,
    common_http_protocol_options: {
      idle_timeout: seconds(limits.idleSeconds),
      max_connection_duration: seconds(limits.connectionSeconds),
      max_stream_duration: seconds(limits.requestSeconds + limits.answerSeconds + 5),
      max_headers_count: limits.headersCount,
      max_requests_per_connection: limits.requestsPerConnection,
      headers_with_underscores_action: "REJECT_REQUEST",
    },
    // An old connection ends by the answer to its next request, never under one.
    http1_safe_max_connection_duration: true,
    http_protocol_options: {
      accept_http_10: false,
      allow_chunked_length: false,
      enable_trailers: false,
      // Read, to be refused by a route, which can close the connection; unread it would be a bare 404.
      allow_absolute_url: true,
    },
    stream_error_on_invalid_http_message: false,
    access_log: [accessLog(settings.accessLog)],
    ...tracing(settings),
    local_reply_config: localReplies(limits),
    http_filters: httpFilters(settings.folder, limits),
    route_config: routeConfiguration(settings),
  });
}

/** Who calls: the certificate's hash is Envoy's word alone, no address is believed but the connection's. */
function identity(): Section {
  return {
    forward_client_cert_details: "SANITIZE_SET",
    // set_current_client_cert_details stays unset, so the header is exactly Hash=<64 hex>:
    // a certificate's own texts (a URI with a comma) could add to it otherwise.
    use_remote_address: true,
    skip_xff_append: true,
    xff_num_trusted_hops: 0,
    // Nobody is "internal": a caller from a private address has no more rights with Envoy. An empty
    // list would mean all private addresses; nobody calls from this one.
    internal_address_config: {
      unix_sockets: false,
      cidr_ranges: [{ address_prefix: "255.255.255.255", prefix_len: 32 }],
    },
    generate_request_id: true,
    preserve_external_request_id: false,
    // The service's own X-Request-Id (req_ and this id) is left as it is.
    always_set_request_id_in_response: false,
    request_id_extension: {
      typed_config: typed("envoy.extensions.request_id.uuid.v3.UuidRequestIdConfig", {
        pack_trace_reason: false,
      }),
    },
  };
}

/** The target is not touched: it is what was signed. What could be read in two ways is refused. */
function rawTarget(): Section {
  return {
    normalize_path: false,
    merge_slashes: false,
    path_with_escaped_slashes_action: "REJECT_REQUEST",
  };
}
