import { tlsLog } from "./access_log.ts";
import { addressSection } from "./addresses.ts";
import { partnerHttp } from "./http.ts";
import { seconds, type Section } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";
import { downstreamTls } from "./tls.ts";

/** Where partners connect: TLS within its time, then HTTP. Its own log has a line a refused handshake. */
export function partnerListener(settings: SidecarSettings): Section {
  return {
    name: "partners",
    address: addressSection(settings.listen),
    per_connection_buffer_limit_bytes: 32_768,
    tcp_backlog_size: 512,
    access_log: [tlsLog(settings.tlsLog)],
    filter_chains: [{
      transport_socket_connect_timeout: seconds(settings.limits.handshakeSeconds),
      transport_socket: downstreamTls(settings.folder),
      filters: [partnerHttp(settings)],
    }],
  };
}
