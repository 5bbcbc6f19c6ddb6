import { extension, type Section } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";

/**
 * Spans of the sidecar by OTLP, when somewhere to send them is set. Without it `traceparent` and
 * `tracestate` (W3C) pass through untouched; with it the sidecar's span stands between.
 */
export function tracing(settings: SidecarSettings): Section {
  if (settings.traces === undefined) return {};
  return {
    tracing: {
      spawn_upstream_span: true,
      // Of the target nothing by Envoy's own way, which would take the query too.
      max_path_tag_length: 0,
      custom_tags: [{ tag: "url.path", value: "%PATH(NQ:PATH):200%" }],
      provider: extension(
        "envoy.tracers.opentelemetry",
        "envoy.config.trace.v3.OpenTelemetryConfig",
        {
          http_service: {
            http_uri: {
              uri: `http://${settings.traces}/v1/traces`,
              cluster: "traces",
              timeout: "1s",
            },
          },
          service_name: "sabika-sidecar",
        },
      ),
    },
  };
}
