import ipaddr from "ipaddr.js";
import type { Limits } from "./limits.ts";
import { networkOf, type RegisteredPartner } from "./registered_addresses.ts";
import type { SidecarSettings } from "./settings.ts";

/** A filter chain: whose connections it takes, and how many. */
export interface PartnerChain {
  /** Names the chain and its counters: `partner:bank-one`, `shared:bank-one`, `strangers`, `everybody`. */
  name: string;
  /** The partners that share the chain; empty when it is for all other callers. */
  partners: string[];
  /** CIDRs in normal form, each in one chain only; empty when the chain is for all other addresses. */
  prefixes: string[];
  connections: number;
  connectionsPerSecond: number;
  handshakeSeconds: number;
}

/** The filter chains of a listener. */
export interface ChainPlan {
  readonly partners: PartnerChain[];
  /** The chain of every other address. */
  readonly others: PartnerChain;
}

/**
 * Divides the connections, so that no caller spends another's share: a chain for each partner's
 * registered addresses, one for all other addresses.
 *
 * An address that several partners registered, alone or within a larger range, tells nothing about
 * whose connection it is: such addresses have a chain of their own, shared by those partners,
 * beside the chains that these partners have for their other addresses.
 *
 * @param partners with their addresses as CIDRs in normal form; undefined when no list was
 *   handed over yet: everybody then shares one chain
 */
export function planChains(
  partners: readonly RegisteredPartner[] | undefined,
  { limits, environment }: Pick<SidecarSettings, "limits" | "environment">,
): ChainPlan {
  if (partners === undefined) {
    return { partners: [], others: everybody(limits, limits.connections) };
  }
  const chains = new Map<string, { prefixes: string[]; holders: Set<number> }>();
  for (const [prefix, holders] of holdersOf(partners)) {
    // The n-th partner has chain n modulo `partnerChains`, so a new partner changes no other's chain.
    const first = partners[Math.min(...holders) % limits.partnerChains]!.partner;
    const name = `${holders.size === 1 ? "partner" : "shared"}:${first}`;
    const chain = chains.get(name) ?? { prefixes: [], holders: new Set() };
    chain.prefixes.push(prefix);
    for (const holder of holders) chain.holders.add(holder);
    chains.set(name, chain);
  }
  // No chain alone can take all connections.
  const half = Math.floor(limits.connections / 2);
  const isOpen = environment === "sandbox" &&
    partners.some((partner) => partner.addresses.length === 0);
  return {
    partners: [...chains].map(([name, { prefixes, holders }]) => ({
      name,
      partners: [...holders].map((holder) => partners[holder]!.partner),
      prefixes: prefixes.sort(),
      connections: Math.min(half, holders.size * limits.partnerConnections),
      connectionsPerSecond: holders.size * limits.partnerConnectionsPerSecond,
      handshakeSeconds: limits.handshakeSeconds,
    })),
    others: isOpen ? everybody(limits, half) : {
      name: "strangers",
      partners: [],
      prefixes: [],
      connections: limits.strangerConnections,
      connectionsPerSecond: limits.strangerConnectionsPerSecond,
      handshakeSeconds: limits.strangerHandshakeSeconds,
    },
  };
}

/** The chain for callers from any address; in a sandbox, partners may call from anywhere. */
function everybody({ handshakeSeconds }: Limits, connections: number): PartnerChain {
  return {
    name: "everybody",
    partners: [],
    prefixes: [],
    connections,
    connectionsPerSecond: connections,
    handshakeSeconds,
  };
}

/** The indexes of the partners that registered each prefix, or a range around it. */
function holdersOf(partners: readonly RegisteredPartner[]): Map<string, Set<number>> {
  const holders = new Map<string, Set<number>>();
  partners.forEach(({ addresses }, index) => {
    for (const cidr of addresses) {
      holders.set(cidr, (holders.get(cidr) ?? new Set()).add(index));
    }
  });
  const lengths = { ipv4: new Set<number>(), ipv6: new Set<number>() };
  for (const cidr of holders.keys()) {
    const [address, length] = ipaddr.parseCIDR(cidr);
    lengths[address.kind()].add(length);
  }
  const all = new Map<string, Set<number>>();
  for (const [cidr, names] of holders) {
    const [address, length] = ipaddr.parseCIDR(cidr);
    const within = new Set(names);
    for (const shorter of lengths[address.kind()]) {
      if (shorter >= length) continue;
      holders.get(networkOf(address, shorter))?.forEach((holder) => within.add(holder));
    }
    all.set(cidr, within);
  }
  return all;
}
