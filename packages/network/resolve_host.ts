import { Resolver } from "node:dns/promises";

/** An address as the resolver returns it. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

const LOCALHOST: readonly ResolvedAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/**
 * Returns the IPv4 and IPv6 addresses of a host, by asking the DNS directly; if one of the two queries fails,
 * those of the other.
 *
 * The system's `getaddrinfo` (`dns.lookup`) is not used. A call of it occupies a thread until the name server
 * answers, one of the few that also verify signatures; and a partner chooses the name server of its webhook
 * endpoint. So `/etc/hosts` is not read; `localhost` is this machine. For hosts that the operator chose use
 * `createLookup`.
 *
 * @param options.servers other name servers than the system's, as `address:port`
 * @param options.timeoutMs for the first attempt, 2,000 by default; later ones take about twice as long. Each
 * name server is asked at most twice
 * @throws Error of the IPv4 query, with the `code` of node:dns (ENOTFOUND, ENODATA, ESERVFAIL, ETIMEOUT …),
 * when neither query succeeds
 */
export async function resolveHost(
  hostname: string,
  { servers, timeoutMs = 2_000 }: { servers?: string[]; timeoutMs?: number } = {},
): Promise<ResolvedAddress[]> {
  if (hostname === "localhost") return [...LOCALHOST];
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const [ipv4, ipv6] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  if (ipv4.status === "rejected" && ipv6.status === "rejected") throw ipv4.reason;
  const ipv4Addresses = ipv4.status === "fulfilled" ? ipv4.value : [];
  const ipv6Addresses = ipv6.status === "fulfilled" ? ipv6.value : [];
  return [
    ...ipv4Addresses.map((address) => ({ address, family: 4 } as const)),
    ...ipv6Addresses.map((address) => ({ address, family: 6 } as const)),
  ];
}
