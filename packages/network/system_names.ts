import type { ResolvedAddress } from "./resolve_host.ts";

/** What `/etc/resolv.conf` says about names that are not fully qualified. */
export interface SearchList {
  domains: string[];
  /** A name with at least this many dots is tried as it is first. */
  ndots: number;
}

/**
 * Returns the addresses of a name in the text of an `/etc/hosts` (hosts(5)); empty when there are none.
 *
 * @param name in lower case
 */
export function findInHosts(text: string, name: string): ResolvedAddress[] {
  const found: ResolvedAddress[] = [];
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (!names.some((alias) => alias.toLowerCase() === name)) continue;
    const family = address.includes(":") ? 6 : 4;
    if (!found.some((known) => known.address === address)) found.push({ address, family });
  }
  return found;
}

/** Reads the search list out of the text of an `/etc/resolv.conf` (resolv.conf(5)). */
export function readSearchList(text: string): SearchList {
  const list: SearchList = { domains: [], ndots: 1 };
  for (const line of text.split("\n")) {
    const [word, ...rest] = line.replace(/[#;].*/, "").trim().split(/\s+/);
    // The last line of either kind counts.
    if (word === "search") list.domains = rest;
    else if (word === "domain") list.domains = rest.slice(0, 1);
    else if (word === "options") {
      for (const option of rest) {
        const dots = /^ndots:([0-9]{1,2})$/.exec(option)?.[1];
        if (dots !== undefined) list.ndots = Math.min(Number(dots), 15);
      }
    }
  }
  list.domains = list.domains.map((domain) => domain.replace(/\.$/, ""))
    .filter((domain) => domain !== "");
  return list;
}

/** The fully qualified names that a name may stand for, in the order in which they are tried. */
export function wholeNames(name: string, { domains, ndots }: SearchList): string[] {
  if (name.endsWith(".")) return [name.slice(0, -1)];
  const longer = domains.map((domain) => `${name}.${domain}`);
  return name.split(".").length > ndots ? [name, ...longer] : [...longer, name];
}
