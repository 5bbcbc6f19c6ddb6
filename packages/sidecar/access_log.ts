import { extension, type Section, typed } from "./section.ts";

/**
 * One JSON line a request. No header but the request's id, no body, and the path without its
 * query: so no token, signature, nonce or key can get here. JSON escapes what would break a line.
 */
export function accessLog(target: string): Section {
  return logger(target, {
    event: "request",
    time: "%START_TIME%",
    // What the answer said, whether it was the service's or the sidecar's own.
    request_id: "%RESP(X-REQUEST-ID)%",
    peer: "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%",
    certificate: "%DOWNSTREAM_PEER_FINGERPRINT_256%",
    tls: "%DOWNSTREAM_TLS_VERSION%",
    method: "%REQ(:METHOD):16%",
    path: "%PATH(NQ:PATH):200%",
    status: "%RESPONSE_CODE%",
    flags: "%RESPONSE_FLAGS%",
    details: "%RESPONSE_CODE_DETAILS%",
    instance: "%UPSTREAM_REMOTE_ADDRESS%",
    bytes_in: "%BYTES_RECEIVED%",
    bytes_out: "%BYTES_SENT%",
    milliseconds: "%DURATION%",
    service_milliseconds: "%RESPONSE_DURATION%",
  });
}

/** One JSON line a refused TLS handshake, with its reason; a caller who merely went away leaves none. */
export function tlsLog(target: string): Section {
  const filter = extension(
    "cel",
    "envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter",
    {
      expression: 'connection.transport_failure_reason != "" && ' +
        '!connection.transport_failure_reason.contains("reset_by_peer")',
    },
  );
  const lines = logger(target, {
    event: "tls_refused",
    time: "%START_TIME%",
    peer: "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%",
    tls: "%DOWNSTREAM_TLS_VERSION%",
    certificate: "%DOWNSTREAM_PEER_FINGERPRINT_256%",
    reason: "%DOWNSTREAM_TRANSPORT_FAILURE_REASON%",
  });
  return { ...lines, filter: { extension_filter: filter } };
}

/** Lines of JSON to a file, or to `stdout` (which a container's engine keeps and turns over). */
function logger(target: string, json: Section): Section {
  const log_format = { json_format: json };
  return target === "stdout"
    ? {
      name: "envoy.access_loggers.stdout",
      typed_config: typed("envoy.extensions.access_loggers.stream.v3.StdoutAccessLog", {
        log_format,
      }),
    }
    : {
      name: "envoy.access_loggers.file",
      typed_config: typed("envoy.extensions.access_loggers.file.v3.FileAccessLog", {
        path: target,
        log_format,
      }),
    };
}
