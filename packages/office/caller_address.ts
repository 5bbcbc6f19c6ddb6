import { BlockList, isIP } from "node:net";

/** Whether an address is that of a proxy whose `X-Forwarded-For` is believed. */
export type IsTrusted = (address: string) => boolean;

/** The address of a peer on a Unix socket. */
export const UNIX_PEER = "unix";

/**
 * Reads the proxies in front of the office: IP addresses and CIDR ranges with commas between, and `unix` for
 * whoever reaches its Unix socket.
 *
 * @returns undefined when the text is none of these
 */
export function readTrustedProxies(text: string): IsTrusted | undefined {
  const list = new BlockList();
  let isUnixTrusted = false;
  for (const item of text.split(",").map((item) => item.trim())) {
    const [address = "", prefix, ...more] = item.split("/");
    const family = familyOf(address);
    const bits = Number(prefix ?? (family === "ipv6" ? 128 : 32));
    if (item === UNIX_PEER) isUnixTrusted = true;
    else if (family === undefined || more.length > 0 || !/^\d+$/.test(prefix ?? "0")) {
      return undefined;
    } else if (bits > (family === "ipv6" ? 128 : 32)) return undefined;
    else list.addSubnet(address, bits, family);
  }
  return (address) => {
    const family = familyOf(address);
    return family === undefined ? isUnixTrusted : list.check(address, family);
  };
}

/**
 * Finds who called: the peer, or behind trusted proxies the last address in `X-Forwarded-For` that is none of
 * theirs. What a caller itself wrote there stands further left, and is not read.
 *
 * @param peer the address of the connection, or {@linkcode UNIX_PEER}
 * @param forwardedFor the header's lines, joined by commas
 */
export function callerAddress(
  peer: string,
  forwardedFor: string | undefined,
  isTrusted: IsTrusted,
): string {
  const hops = (forwardedFor ?? "").split(",").map((hop) => plain(hop.trim()));
  let address = plain(peer);
  while (isTrusted(address) && isIP(hops.at(-1) ?? "") !== 0) address = hops.pop()!;
  return address;
}

/** An IPv4 address as itself, where IPv6 wraps it. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "");

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? "ipv4" : "ipv6";
}
