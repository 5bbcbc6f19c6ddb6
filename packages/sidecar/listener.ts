import { tlsLog } from "./access_log.ts";
import { addressSection } from "./addresses.ts";
import { type ChainPlan, type PartnerChain } from "./partner_chains.ts";
import { seconds, type Section, standard } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";
import { downstreamTls } from "./tls.ts";

/** New connections that are taken before those that are open get their turn. */
const ACCEPTED_AT_ONCE = 32;
/** How many may wait to be accepted: the kernel's own bound; a full queue costs a caller a second. */
const BACKLOG = 4_096;

/**
 * Where partners connect: the caller's address alone chooses the filter chain, before a byte of it
 * was read; then TLS within its time, then HTTP. Its own log has a line a refused handshake.
 *
 * @param http the HTTP filter, the same for every chain
 */
export function partnerListener(
  settings: SidecarSettings,
  plan: ChainPlan,
  http: Section,
): Section {
  const transport_socket = downstreamTls(settings.folder);
  const chain = (partnerChain: PartnerChain): Section => ({
    name: partnerChain.name,
    ...(partnerChain.prefixes.length === 0
      ? {}
      : { filter_chain_match: { source_prefix_ranges: partnerChain.prefixes.map(prefixRange) } }),
    transport_socket_connect_timeout: seconds(partnerChain.handshakeSeconds),
    transport_socket,
    filters: [connectionLimit(partnerChain), connectionRate(partnerChain), http],
  });
  return {
    name: "partners",
    address: addressSection(settings.listen),
    per_connection_buffer_limit_bytes: 32_768,
    tcp_backlog_size: BACKLOG,
    max_connections_to_accept_per_socket_event: ACCEPTED_AT_ONCE,
    access_log: [tlsLog(settings.tlsLog)],
    filter_chains: plan.partners.map(chain),
    default_filter_chain: chain(plan.others),
  };
}

function prefixRange(cidr: string): Section {
  const [address_prefix = "", length] = cidr.split("/");
  return { address_prefix, prefix_len: Number(length) };
}

/** Beyond the chain's share a connection is closed as it comes, before it costs a handshake. */
function connectionLimit({ name, connections }: PartnerChain): Section {
  return standard("filters.network.connection_limit", "ConnectionLimit", {
    stat_prefix: name,
    max_connections: connections,
  });
}

/** Who opens and closes within the share spends the processor on handshakes: these have a rate. */
function connectionRate({ name, connections, connectionsPerSecond }: PartnerChain): Section {
  return standard("filters.network.local_ratelimit", "LocalRateLimit", {
    stat_prefix: name,
    token_bucket: {
      max_tokens: connections,
      tokens_per_fill: Math.ceil(connectionsPerSecond / 10),
      fill_interval: "0.1s",
    },
  });
}
