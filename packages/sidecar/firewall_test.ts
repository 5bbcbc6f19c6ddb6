import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { test } from "node:test";
import { firewallOf } from "./firewall.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

const SETTINGS = {
  listen: "0.0.0.0:8443",
  limits: DEFAULT_LIMITS,
  environment: "production",
} as const;

/** The rules for partners a, b, c … with these addresses, as they are in production. */
function rulesFor(...addresses: string[][]): string {
  const partners = addresses.map((addresses, n) => ({ partner: "abcdef"[n]!, addresses }));
  return firewallOf(SETTINGS, partners).rules;
}

test("firewallOf() gives each registered address its chain's share, a stranger a quarter of theirs", () => {
  assertEquals(
    rulesFor(["192.0.2.0/24", "2001:db8::/32"], ["198.51.100.7/32"]),
    `# Made by Sabika's sidecar from the addresses that partners registered; \`nft -f\` loads it.
table inet sabika_8443
delete table inet sabika_8443
table inet sabika_8443 {
  set registered_256_256_ipv4 { type ipv4_addr; flags interval; auto-merge; elements = { 192.0.2.0/24, 198.51.100.7/32 } }
  set registered_256_256_ipv6 { type ipv6_addr; flags interval; auto-merge; elements = { 2001:db8::/32 } }
  set callers_ipv4 { type ipv4_addr; size 65535; flags dynamic, timeout; timeout 1m; }
  set callers_ipv6 { type ipv6_addr; size 65535; flags dynamic, timeout; timeout 1m; }
  chain input {
    type filter hook input priority filter; policy accept;
    tcp dport 8443 tcp flags & (fin | syn | rst | ack) == syn goto new_connections
  }
  chain new_connections {
    ip saddr @registered_256_256_ipv4 goto registered_256_256
    ip6 saddr @registered_256_256_ipv6 goto registered_256_256
    update @callers_ipv4 { ip saddr limit rate over 16/second burst 64 packets } counter drop
    update @callers_ipv6 { ip6 saddr & ffff:ffff:ffff:ffff:: limit rate over 16/second burst 64 packets } counter drop
    limit rate over 64/second burst 256 packets counter drop
  }
  chain registered_256_256 {
    update @callers_ipv4 { ip saddr limit rate over 256/second burst 256 packets } counter drop
    update @callers_ipv6 { ip6 saddr & ffff:ffff:ffff:ffff:: limit rate over 256/second burst 256 packets } counter drop
  }
}
`,
  );
});

test("firewallOf() matches the larger share first where an address has two", () => {
  const rules = rulesFor(["10.0.0.0/8"], ["10.1.0.0/16"]);
  assertStringIncludes(
    rules,
    "registered_512_512_ipv4 { type ipv4_addr; flags interval; auto-merge; elements = { 10.1.0.0/16 }",
  );
  const [larger, smaller] = [512, 256].map((n) => rules.indexOf(`goto registered_${n}_${n}`));
  assert(larger! > 0 && larger! < smaller!);
});

test("firewallOf() matches the larger rate first where both shares are half of all connections", () => {
  const limits = { ...DEFAULT_LIMITS, connections: 2 * DEFAULT_LIMITS.partnerConnections };
  const partners = [
    { partner: "a", addresses: ["10.0.0.0/8"] },
    { partner: "b", addresses: ["10.1.0.0/16"] },
  ];
  const { rules } = firewallOf({ ...SETTINGS, limits }, partners);
  const [larger, smaller] = [512, 256].map((n) => rules.indexOf(`goto registered_256_${n}`));
  assert(larger! > 0 && larger! < smaller!, rules);
});

test("firewallOf() lets one caller use the whole rate where partners call from anywhere", () => {
  const settings = { ...SETTINGS, environment: "sandbox" } as const;
  const { rules } = firewallOf(settings, [{ partner: "a", addresses: [] }]);
  assertEquals([...rules.matchAll(/over 4000\/second burst 4000 packets/g)].length, 3);
  const nothingKnown = firewallOf(SETTINGS, undefined).rules;
  assertEquals([...nothingKnown.matchAll(/over 8000\/second burst 8000 packets/g)].length, 3);
});

test("firewallOf() matches the sidecar's address, and refuses an address without a port", () => {
  const rulesFor = (listen: string) => firewallOf({ ...SETTINGS, listen }, []);
  assertStringIncludes(rulesFor("127.0.0.1:443").rules, "ip daddr 127.0.0.1 tcp dport 443 ");
  assertStringIncludes(rulesFor("[2001:db8::1]:443").rules, "ip6 daddr 2001:db8::1 tcp dport 443 ");
  assertEquals(rulesFor("[::]:443").table, "sabika_443");
  for (const listen of ["unix:a.sock", "127.0.0.1:0"]) {
    assertThrows(() => rulesFor(listen), RangeError);
  }
});
