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
  readonly chains: PartnerChain[];
  /** The chain of every other address. */
  readonly others: PartnerChain;
}

/**
 * Limits each caller's connections, so that none can take all: a chain for each partner's registered addresses,
 * and one for all other addresses. Beyond `limits.partnerChains` partners, several share a chain.
 *
 * An address that several partners registered, alone or within a larger range, does not say whose connection
 * it is. Such addresses are in chains that the partners share.
 *
 * A chain is named after the first of its partners in the list; beyond `limits.partnerChains`, after the partner
 * whose number is that partner's modulo `limits.partnerChains`.
 *
 * @param partners in a stable order, new ones at the end, with addresses as CIDRs in normal form; undefined
 * when no list was handed over yet: everybody then shares one chain
 */
export function planChains(
  partners: readonly RegisteredPartner[] | undefined,
  { limits, environment }: Pick<SidecarSettings, "limits" | "environment">,
): ChainPlan {
  if (partners === undefined) {
    return { chains: [], others: everybody(limits, limits.connections) };
  }
  const chains = new Map<string, { prefixes: string[]; holders: Set<number> }>();
  for (const [prefix, holders] of holdersOf(partners)) {
    // Partner n has chain n modulo `partnerChains`. A partner added at the end of the list moves no other to
    // another chain, unless their addresses overlap.
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
    chains: [...chains].map(([name, { prefixes, holders }]) => ({
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

/** The chain for all callers whose addresses no other chain has, when partners may be among them. */
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
  const holdersWithin = new Map<string, Set<number>>();
  for (const [cidr, indexes] of holders) {
    const [address, length] = ipaddr.parseCIDR(cidr);
    const found = new Set(indexes);
    for (const shorter of lengths[address.kind()]) {
      if (shorter >= length) continue;
      holders.get(networkOf(address, shorter))?.forEach((index) => found.add(index));
    }
    holdersWithin.set(cidr, found);
  }
  return holdersWithin;
}
