import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { each } from "../../../test/support/each.ts";
import { allowsAddress, readCidr } from "./source_addresses.ts";

test("readCidr() accepts IPv4 and IPv6 and returns the normal form", () => {
  const cases: [string, string][] = [
    ["192.0.2.7", "192.0.2.7/32"],
    ["192.0.2.0/24", "192.0.2.0/24"],
    ["2001:DB8:0:0::/32", "2001:db8::/32"],
    ["2001:db8::1", "2001:db8::1/128"],
    ["127.0.0.1/32", "127.0.0.1/32"],
  ];
  for (const [text, normal] of cases) assertEquals(readCidr(text), { ok: true, value: normal });
});

test("readCidr() refuses a prefix of 0, host bits, odd spellings and non-addresses", () => {
  const refused = each(`
    localhost 192.0.2.1/24 192.0.2.0/33 192.0.2.0/08 192.0.2.0/-1 192.0.2.0/24/1 0.0.0.0/0 ::/0
    127.1 0x7f.0.0.1 0177.0.0.1 2130706433 ::ffff:192.0.2.1 fe80::1%eth0 2001:db8::1/64
    2001:db8::/129`);
  for (const text of [...refused, ""]) assert(!readCidr(text).ok, text);
});

test("allowsAddress() compares within a family, and takes IPv4-mapped addresses for IPv4", () => {
  const cidrs = ["192.0.2.0/24", "2001:db8::/32"];
  for (const inside of ["192.0.2.0", "192.0.2.255", "::ffff:192.0.2.9", "2001:db8:ffff::1"]) {
    assert(allowsAddress(cidrs, inside), inside);
  }
  const outsiders = ["192.0.3.0", "192.0.1.255", "::ffff:192.0.3.9", "2001:db9::1", "", "unknown"];
  for (const outside of outsiders) {
    assert(!allowsAddress(cidrs, outside), outside);
  }
  assert(allowsAddress([], "203.0.113.1"));
});
