import { addressSection } from "./addresses.ts";
import { CONNECTION_MANAGER, CONNECTION_MANAGER_TYPE } from "./http.ts";
import { extension, type Section, standard } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";

/** What Prometheus and a probe may read over the network, and nothing else of the admin's. */
export function watchListener(settings: SidecarSettings): Section {
  return {
    name: "watch",
    // A flood of partners' connections must not blind the probe.
    ignore_global_conn_limit: true,
    address: addressSection(settings.watch),
    filter_chains: [{
      filters: [extension(CONNECTION_MANAGER, CONNECTION_MANAGER_TYPE, {
        stat_prefix: "watch",
        codec_type: "HTTP1",
        request_headers_timeout: "5s",
        common_http_protocol_options: { idle_timeout: "60s" },
        http_filters: [
          standard("filters.http.router", "Router"),
        ],
        route_config: {
          virtual_hosts: [{
            name: "watch",
            domains: ["*"],
            routes: [route("/stats/prometheus"), route("/ready")],
          }],
        },
      })],
    }],
  };
}

function route(path: string): Section {
  return {
    match: { path, headers: [{ name: ":method", string_match: { exact: "GET" } }] },
    route: { cluster: "admin" },
  };
}
