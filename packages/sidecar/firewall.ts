import { addressSection } from "./addresses.ts";
import { type PartnerChain, planChains } from "./partner_chains.ts";
import type { RegisteredPartner } from "./registered_addresses.ts";
import type { SidecarSettings } from "./settings.ts";

/** How many new connections are let through: at once, and then per second. */
interface Rate {
  readonly atOnce: number;
  readonly perSecond: number;
}

/** IP's versions, each with how nftables counts a caller: IPv6 gives a host a /64 to choose from. */
const FAMILIES = [
  { name: "ipv4", field: "ip", caller: "ip saddr" },
  { name: "ipv6", field: "ip6", caller: "ip6 saddr & ffff:ffff:ffff:ffff::" },
] as const;
/** How many callers are counted at a time; further strangers only share the strangers' limit. */
const COUNTED_CALLERS = 65_535;
/** The part of the strangers' shared rate that one of them may use. */
const STRANGERS_PART = 1 / 4;

/** The table of a sidecar's rules, and their text. */
export interface Firewall {
  /** The table's name, e.g. `sabika_8443`. */
  readonly table: string;
  /** The text of a file for `nft -f`; loading it replaces the table's earlier rules. */
  readonly rules: string;
}

/**
 * Makes rules for Linux's own firewall (nftables) that drop new connections above their caller's rate before
 * they reach the sidecar, so that they cost it nothing and delay nobody (Decision D68).
 *
 * A partner's address has the share and the rate of its filter chain, so nothing is dropped that Envoy
 * would have accepted. All strangers together have those of their chain, and one stranger a quarter. Only
 * a connection's first packet is dropped; an ordinary TCP client sends it again after a second.
 *
 * @param partners as `planChains()` takes them
 * @throws RangeError when the sidecar listens on a Unix socket or on port 0
 */
export function firewallOf(
  settings: Pick<SidecarSettings, "listen" | "limits" | "environment">,
  partners: readonly RegisteredPartner[] | undefined,
): Firewall {
  const { table, match } = target(settings.listen);
  const plan = planChains(partners, settings);
  const groups = byRate(plan.chains);
  const { others } = plan;
  const together = rateOf(others);
  // In a sandbox, partners may be among the others, so one caller may use the whole rate.
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

/** The name of the rules' table, and the expression that matches packets to the sidecar. */
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

/** Groups chains with the same rate, the highest first: it counts for an address in several. */
function byRate(chains: readonly PartnerChain[]) {
  const groups = new Map<string, { name: string; rate: Rate; prefixes: string[] }>();
  // Only the number at once is capped (at half of all), so the number per second orders both.
  const sorted = chains.toSorted((a, b) => b.connectionsPerSecond - a.connectionsPerSecond);
  for (const chain of sorted) {
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
