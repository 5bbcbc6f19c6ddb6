import type { Limits } from "./limits.ts";
import { extension, type Section } from "./section.ts";

const HEAP = "envoy.resource_monitors.fixed_heap";

/** Values of Envoy's runtime: the guards against streams that are opened only to be reset. */
export function runtime(): Section {
  return {
    layers: [{
      name: "static",
      static_layer: {
        "overload.premature_reset_total_stream_count": 200,
        "overload.premature_reset_min_stream_lifetime_seconds": 1,
        "http.max_requests_per_io_cycle": 8,
        "re2.max_program_size.error_level": 200,
        "tracing.opentelemetry.flush_interval_ms": 1_000,
      },
    }],
  };
}

/** What is given up first when memory or connections run short: idle time, then new requests. */
export function overloadManager(limits: Limits): Section {
  const at = (value: number): Section[] => [{ name: HEAP, threshold: { value } }];
  return {
    refresh_interval: "0.25s",
    resource_monitors: [
      extension(HEAP, "envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig", {
        max_heap_size_bytes: limits.heapMegabytes * 1024 * 1024,
      }),
      extension(
        "envoy.resource_monitors.global_downstream_max_connections",
        "envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
        { max_active_downstream_connections: limits.connections },
      ),
    ],
    actions: [
      {
        name: "envoy.overload_actions.reduce_timeouts",
        triggers: [{ name: HEAP, scaled: { scaling_threshold: 0.7, saturation_threshold: 0.9 } }],
        typed_config: {
          "@type": "type.googleapis.com/envoy.config.overload.v3.ScaleTimersOverloadActionConfig",
          timer_scale_factors: [
            { timer: "HTTP_DOWNSTREAM_CONNECTION_IDLE", min_timeout: "2s" },
            { timer: "TRANSPORT_SOCKET_CONNECT", min_timeout: "1s" },
          ],
        },
      },
      { name: "envoy.overload_actions.shrink_heap", triggers: at(0.9) },
      { name: "envoy.overload_actions.disable_http_keepalive", triggers: at(0.92) },
      { name: "envoy.overload_actions.stop_accepting_requests", triggers: at(0.95) },
    ],
  };
}
