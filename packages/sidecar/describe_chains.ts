import { type PartnerChain, planChains } from "./partner_chains.ts";
import type { RegisteredPartner } from "./registered_addresses.ts";
import type { SidecarSettings } from "./settings.ts";

/** Describes the plan for people, with a line for each filter chain that several partners share. */
export function describeChains(
  partners: readonly RegisteredPartner[],
  settings: Pick<SidecarSettings, "limits" | "environment">,
): string {
  const { chains, others } = planChains(partners, settings);
  const shares = ({ partners, connections, prefixes }: PartnerChain) =>
    `${partners.join(", ")} share ${connections} connections from ${prefixes.join(", ")}`;
  return [
    `the list is good: ${partners.length} partner(s), ${chains.length} filter chain(s)`,
    ...chains.filter((chain) => chain.partners.length > 1).map(shares),
    `from anywhere else: ${others.connections} connections in all`,
  ].join("\n") + "\n";
}
