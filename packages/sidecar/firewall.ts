import { addressSection } from "./addresses.ts";
import { type PartnerChain, planChains } from "./partner_chains.ts";
import type { RegisteredPartner } from "./registered_addresses.ts";
import type { SidecarSettings } from "./settings.ts";

/** New connections that are let through: so many at once, and then so many a second. */
interface Rate {
  readonly atOnce: number;
  readonly perSecond: number;
}

/** IP's versions, each with how nftables counts a caller: IPv6 gives a host a /64 to choose from. */
const FAMILIES = [
  { name: "ipv4", field: "ip", caller: "ip saddr" },
  { name: "ipv6", field: "ip6", caller: "ip6 saddr & ffff:ffff:ffff:ffff::" },
] as const;
/** Callers that are counted at a time; another one falls under what strangers have together. */
const COUNTED_CALLERS = 65_535;
/** Of what strangers have together, what one of them may take. */
const STRANGERS_PART = 1 / 4;

/** The table of a sidecar's rules, and their text. */
export interface Firewall {
  /** `sabika_8443`. */
  readonly table: string;
  /** A file for `nft -f`; it takes the place of what was loaded before. */
  readonly rules: string;
}

/**
 * Rules for Linux's own firewall (nftables), which keeps new connections over their caller's rate from
 * the sidecar: they cost it nothing, and nobody waits behind them (Decision D68).
 *
 * A partner's address has the share and the rate of its filter chain, so nothing is dropped that Envoy
 * would have taken. Strangers have together what theirs has, and one of them a quarter of that. What is
 * dropped is a connection's first packet: whoever is honest sends it again after a second by itself.
 *
 * @param partners as `handAddresses()` takes them
 * @throws RangeError when the sidecar has no port of its own
 */
export function firewallOf(
  settings: Pick<SidecarSettings, "listen" | "limits" | "environment">,
  partners: readonly RegisteredPartner[] | undefined,
): Firewall {
  const { table, match } = target(settings.listen);
  const plan = planChains(partners, settings);
  const groups = byRate(plan.partners);
  const { others } = plan;
  const together = rateOf(others);
  // In the sandbox partners are among the others: there none is held to a part.
  const each = others.name === "strangers" ? partOf(together) : together;
  const rules = [
    "# Made by Sabika's sidecar from the addresses that partners registered; `nft -f` loads it.",
    `table inet ${table}`,
    `delete table inet ${table}`,
    `table inet ${table} {`,
    ...groups.flatMap(({ name, prefixes }) => registeredSets(name, prefixes)),
    ...FAMILIES.map(({ name }) =>
      `  set callers_${name} { type ${name}_addr; size ${COUNTED_CALLERS}; ` +
      "flags dynamic, timeout; timeout 1m; }"
    ),
    ...chain("input", [
      "type filter hook input priority filter; policy accept;",
      `${match} tcp flags & (fin | syn | rst | ack) == syn goto new_connections`,
    ]),
    ...chain("new_connections", [
      ...groups.flatMap(({ name }) =>
        FAMILIES.map(({ name: family, field }) => `${field} saddr @${name}_${family} goto ${name}`)
      ),
      ...dropCallersOver(each),
      `${over(together)} counter drop`,
    ]),
    ...groups.flatMap(({ name, rate }) => chain(name, dropCallersOver(rate))),
    "}",
    "",
  ];
  return { table, rules: rules.join("\n") };
}

/** What the rules are called, and what reaches the sidecar. */
function target(listen: string): { table: string; match: string } {
  const { socket_address: socket } = addressSection(listen) as {
    socket_address?: { address: string; port_value: number };
  };
  if (socket === undefined || socket.port_value === 0) {
    throw new RangeError(`there are firewall rules for a port alone, not for ${listen}`);
  }
  const { address, port_value: port } = socket;
  const isAny = address === "0.0.0.0" || address === "::";
  const destination = isAny ? "" : `${address.includes(":") ? "ip6" : "ip"} daddr ${address} `;
  return { table: `sabika_${port}`, match: `${destination}tcp dport ${port}` };
}

/** Chains of the same share are one group; an address that is in two has the larger share. */
function byRate(chains: readonly PartnerChain[]) {
  const groups = new Map<string, { name: string; rate: Rate; prefixes: string[] }>();
  for (const chain of chains.toSorted((a, b) => b.connections - a.connections)) {
    const rate = rateOf(chain);
    const name = `registered_${rate.atOnce}_${rate.perSecond}`;
    const group = groups.get(name) ?? { name, rate, prefixes: [] };
    group.prefixes.push(...chain.prefixes);
    groups.set(name, group);
  }
  return [...groups.values()];
}

const rateOf = ({ connections, connectionsPerSecond }: PartnerChain): Rate => ({
  atOnce: connections,
  perSecond: connectionsPerSecond,
});

const partOf = ({ atOnce, perSecond }: Rate): Rate => ({
  atOnce: Math.ceil(atOnce * STRANGERS_PART),
  perSecond: Math.ceil(perSecond * STRANGERS_PART),
});

function registeredSets(group: string, prefixes: readonly string[]): string[] {
  return FAMILIES.map(({ name }) => {
    const sameFamily = prefixes.filter((prefix) => prefix.includes(":") === (name === "ipv6"))
      .sort();
    const elements = sameFamily.length === 0 ? "" : ` elements = { ${sameFamily.join(", ")} }`;
    return `  set ${group}_${name} { type ${name}_addr; flags interval; auto-merge;${elements} }`;
  });
}

const dropCallersOver = (rate: Rate): string[] =>
  FAMILIES.map(({ name, caller }) =>
    `update @callers_${name} { ${caller} ${over(rate)} } counter drop`
  );

const over = ({ atOnce, perSecond }: Rate) =>
  `limit rate over ${perSecond}/second burst ${atOnce} packets`;

function chain(name: string, rules: readonly string[]): string[] {
  return [`  chain ${name} {`, ...rules.map((rule) => `    ${rule}`), "  }"];
}
