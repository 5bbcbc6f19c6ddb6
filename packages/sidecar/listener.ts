import { envoyValues } from "./envoy_values.ts";
import { type ChainPlan, type PartnerChain } from "./partner_chains.ts";
import type { Section } from "./section.ts";
import type { SidecarSettings } from "./settings.ts";
import { fill } from "./template.ts";

/**
 * Makes the listener that partners connect to.
 *
 * @param http the HTTP filter that all filter chains share
 */
export function partnerListener(
  settings: SidecarSettings,
  plan: ChainPlan,
  http: Section,
): Section {
  const values = envoyValues(settings);
  const chain = (partnerChain: PartnerChain): Section => {
    const { name, prefixes, connections, connectionsPerSecond, handshakeSeconds } = partnerChain;
    return fill("partner_chain", {
      ...values,
      http,
      name,
      connections,
      handshakeSeconds,
      connectionsPerFill: Math.ceil(connectionsPerSecond / 10),
      prefixRanges: prefixes.length === 0 ? undefined : prefixes.map(prefixRange),
    });
  };
  return fill("partners_listener", {
    ...values,
    chains: plan.chains.map(chain),
    othersChain: chain(plan.others),
  });
}

function prefixRange(cidr: string): Section {
  const [address_prefix = "", length] = cidr.split("/");
  return { address_prefix, prefix_len: Number(length) };
}
