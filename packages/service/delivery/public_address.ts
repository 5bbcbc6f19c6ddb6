import ipaddr from "ipaddr.js";

/** The only IPv6 addresses that are allocated to networks; what embeds IPv4 is excluded below. */
const GLOBAL_UNICAST = ipaddr.IPv6.parse("2000::");
/** Of the global ones: documentation (RFC 9637), which the library's list does not have yet. */
const DOCUMENTATION = ipaddr.IPv6.parse("3fff::");
const RELAY_6TO4 = ipaddr.IPv4.parse("192.88.99.0");

/**
 * Whether an address belongs to the public internet (Decision D36).
 *
 * IPv4: everything but the special-purpose blocks (RFC 6890). IPv6: only 2000::/3, without 6to4
 * (2002::/16), Teredo, benchmarking and documentation. So IPv4-mapped (::ffff:0:0/96),
 * IPv4-compatible (::/96), NAT64 (64:ff9b::/96, 64:ff9b:1::/48), unique local and link-local addresses
 * are not public: each could lead into the internal network.
 *
 * @param text an address as the system's resolver writes it; anything else is not public
 */
export function isPublicAddress(text: string): boolean {
  const address = parse(text);
  if (address === undefined || address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return !address.match(RELAY_6TO4, 24);
  return address.match(GLOBAL_UNICAST, 3) && !address.match(DOCUMENTATION, 20);
}

/** Whether an address is 127.0.0.0/8 or ::1; an IPv4-mapped loopback address is not. */
export function isLoopbackAddress(text: string): boolean {
  return parse(text)?.range() === "loopback";
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // An address with a zone (fe80::1%eth0) is only meaningful on this machine.
  if (text.includes("%")) return undefined;
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}
