import { extension, type Section } from "./section.ts";

const FILE = "envoy.access_loggers.file";
const FILE_TYPE = "envoy.extensions.access_loggers.file.v3.FileAccessLog";

/**
 * One JSON line a request. No header but the request's id, no body, and the path without its
 * query: so no token, signature, nonce or key can get here. JSON escapes what would break a line.
 */
export function accessLog(path: string): Section {
  return extension(FILE, FILE_TYPE, {
    path,
    log_format: {
      json_format: {
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
      },
    },
  });
}

/** One JSON line a refused TLS handshake, with its reason; a caller who merely went away leaves none. */
export function tlsLog(path: string): Section {
  return {
    name: FILE,
    filter: {
      extension_filter: extension(
        "cel",
        "envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter",
        {
          expression: 'connection.transport_failure_reason != "" && ' +
            '!connection.transport_failure_reason.contains("reset_by_peer")',
        },
      ),
    },
    ...typedFile(path),
  };
}

function typedFile(path: string): Section {
  const { typed_config } = extension(FILE, FILE_TYPE, {
    path,
    log_format: {
      json_format: {
        event: "tls_refused",
        time: "%START_TIME%",
        peer: "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%",
        tls: "%DOWNSTREAM_TLS_VERSION%",
        certificate: "%DOWNSTREAM_PEER_FINGERPRINT_256%",
        reason: "%DOWNSTREAM_TRANSPORT_FAILURE_REASON%",
      },
    },
  });
  return { typed_config: typed_config! };
}
