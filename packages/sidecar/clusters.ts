import { addressSection } from "./addresses.ts";
import { adminSocket, sidecarFolders } from "./folders.ts";
import type { Limits } from "./limits.ts";
import { seconds, type Section, typed, watchedFile } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";

export const SERVICE_CLUSTER = "service";
/** Like `SERVICE_CLUSTER`, but with connections of their own for streams of events. */
export const STREAMS_CLUSTER = "streams";

/** What Envoy connects to: the service's instances, its own admin, and the traces' receiver. */
export function clusters(settings: SidecarSettings): Section[] {
  const { upstreamConnections, upstreamWaiting, upstreamStreams } = settings.limits;
  const list = [
    service(settings, SERVICE_CLUSTER, upstreamConnections, upstreamWaiting),
    // However many streams there are, they take no connection from orders.
    service(settings, STREAMS_CLUSTER, upstreamStreams, upstreamWaiting),
    fixed("admin", `unix:${adminSocket(settings.socketFolder)}`),
  ];
  if (settings.traces !== undefined) list.push(fixed("traces", settings.traces));
  return list;
}

/**
 * The instances. Their list is a file (EDS) that is replaced whole, so an instance leaves before
 * it is stopped and comes when it is ready; what is on its way to it is finished.
 */
function service(
  { folder, limits }: SidecarSettings,
  name: string,
  connections: number,
  waiting: number,
): Section {
  return {
    name,
    type: "EDS",
    connect_timeout: seconds(limits.connectSeconds),
    per_connection_buffer_limit_bytes: 32_768,
    lb_policy: "LEAST_REQUEST",
    eds_cluster_config: {
      service_name: SERVICE_CLUSTER,
      eds_config: watchedFile(sidecarFolders(folder).instances),
    },
    ...health(limits),
    circuit_breakers: {
      thresholds: [{
        priority: "DEFAULT",
        max_connections: connections,
        max_pending_requests: waiting,
        max_requests: connections + waiting,
        max_retries: 0,
      }],
    },
    typed_extension_protocol_options: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": typed(
        "envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
        {
          common_http_protocol_options: { idle_timeout: seconds(limits.upstreamIdleSeconds) },
          explicit_http_config: { http_protocol_options: {} },
        },
      ),
    },
  };
}

/**
 * An instance that is not ready gets nothing while another is. When none is (their database is
 * away), all are asked: they refuse by themselves, and `/health` says why in its own form
 * (Decision D16). One that is not there at all is a 503 `service_unavailable` of Envoy's.
 */
function health(limits: Limits): Section {
  return {
    health_checks: [{
      timeout: seconds(limits.connectSeconds),
      interval: seconds(limits.healthSeconds),
      no_traffic_interval: seconds(limits.healthSeconds),
      unhealthy_threshold: 1,
      healthy_threshold: 1,
      http_health_check: { path: "/ready" },
    }],
    // One that leaves the list leaves at once, healthy or not.
    ignore_health_on_host_removal: true,
    common_lb_config: {
      healthy_panic_threshold: { value: 1 },
      // Unsaid, an instance that is not ready any more would still get requests for a second.
      update_merge_window: "0s",
    },
  };
}

function fixed(name: string, address: string): Section {
  return {
    name,
    type: "STATIC",
    connect_timeout: "1s",
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: addressSection(address) } }] }],
    },
  };
}
