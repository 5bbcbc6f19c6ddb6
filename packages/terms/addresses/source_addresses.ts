import { refuse } from "@sabika/protocol";
import ipaddr from "ipaddr.js";
import type { AdminOutcome } from "../refusal.ts";

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Reads a source address as IPv4 or IPv6 in CIDR notation; a plain address means only itself.
 * The bits after the prefix must be zero: `192.0.2.1/24` is most likely a mistake.
 *
 * @returns the normal form, such as `2001:db8::/32`
 */
export function readCidr(text: string): AdminOutcome<string> {
  const [address = "", prefix, more] = text.trim().split("/");
  const parsed = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
    ? ipaddr.parse(address)
    : undefined;
  // A zone id (`fe80::1%eth0`) has a meaning on one machine only.
  if (parsed === undefined || more !== undefined || address.includes("%")) {
    return refuse("invalid_cidr", "a source address is IPv4 or IPv6 in CIDR notation");
  }
  const width = parsed.kind() === "ipv4" ? 32 : 128;
  if (prefix !== undefined && !/^(0|[1-9][0-9]{0,2})$/.test(prefix)) {
    return refuse("invalid_cidr", "the prefix of a CIDR is a number");
  }
  const length = prefix === undefined ? width : Number(prefix);
  if (length > width) return refuse("invalid_cidr", `the prefix is at most ${width}`);
  if (length === 0) {
    return refuse("invalid_cidr", "a prefix of 0 allows everybody: leave the list empty");
  }
  if (parsed.kind() === "ipv6" && (parsed as ipaddr.IPv6).isIPv4MappedAddress()) {
    return refuse("invalid_cidr", "write an IPv4 address as such");
  }
  if (hasHostBits(parsed.toByteArray(), length)) {
    return refuse("invalid_cidr", "the address has bits set after its prefix");
  }
  return { ok: true, value: `${parsed.toString()}/${length}` };
}

const rangesOf = new WeakMap<readonly string[], Range[]>();

/**
 * Whether a caller's address is within a partner's list (Spec §1; Decision D26). An empty list
 * allows any address. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) counts as IPv4.
 *
 * @param cidrs normal forms of {@linkcode readCidr}; each array object is parsed once
 * @param address as the listener saw it
 */
export function allowsAddress(cidrs: readonly string[], address: string): boolean {
  if (cidrs.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  let ranges = rangesOf.get(cidrs);
  if (ranges === undefined) {
    ranges = cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
    rangesOf.set(cidrs, ranges);
  }
  const caller = ipaddr.process(address);
  return ranges.some(([network, length]) =>
    network.kind() === caller.kind() && caller.match(network, length)
  );
}

function hasHostBits(bytes: number[], length: number): boolean {
  return bytes.some((byte, index) => {
    const kept = Math.min(8, Math.max(0, length - index * 8));
    return (byte & (0xff >> kept)) !== 0;
  });
}
