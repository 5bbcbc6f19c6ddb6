import { Resolver } from "node:dns/promises";

/** An address as the resolver returns it. */
export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

const LOCALHOST: ResolvedAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/**
 * Returns all IPv4 and IPv6 addresses of a host, by asking the DNS directly.
 *
 * Not by the system's `getaddrinfo` (`dns.lookup`): each of its calls holds one of the few threads
 * that signatures are verified on as well, until the name server answers, and a partner chooses the
 * name server of its webhook endpoint. So `/etc/hosts` does not count here, except for `localhost`;
 * for hosts that the operator chose there is `createLookup`.
 *
 * @param options.servers other name servers than the system's, as `address:port`
 * @param options.timeoutMs for the first attempt, 2,000 by default; the second takes about twice as long
 * @throws Error when the name has no address, or no name server answers in time
 */
export async function resolveHost(
  hostname: string,
  { servers, timeoutMs = 2_000 }: { servers?: string[]; timeoutMs?: number } = {},
): Promise<ResolvedAddress[]> {
  if (hostname === "localhost") return LOCALHOST;
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  if (v4.status === "rejected" && v6.status === "rejected") throw v4.reason;
  const v4Addresses = v4.status === "fulfilled" ? v4.value : [];
  const v6Addresses = v6.status === "fulfilled" ? v6.value : [];
  return [
    ...v4Addresses.map((address) => ({ address, family: 4 } as const)),
    ...v6Addresses.map((address) => ({ address, family: 6 } as const)),
  ];
}
