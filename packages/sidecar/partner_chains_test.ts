import { assert, assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { DEFAULT_LIMITS } from "./limits.ts";
import { planChains } from "./partner_chains.ts";
import { readRegisteredAddresses } from "./registered_addresses.ts";

const SANDBOX = { limits: DEFAULT_LIMITS, environment: "sandbox" } as const;
const { partnerConnections, strangerConnections, connections } = DEFAULT_LIMITS;

/** The plan for partners a, b, c … with these addresses, as `[name, prefixes, connections]`. */
function plan(...addresses: string[][]) {
  const partners = addresses.map((addresses, n) => ({ partner: "abcdef"[n]!, addresses }));
  const { chains, others } = planChains(partners, SANDBOX);
  return {
    chains: chains.map(({ name, prefixes, connections }) => [name, prefixes, connections]),
    others: [others.name, others.connections],
  };
}

test("planChains() gives each partner a chain with all its addresses, strangers a small one", () => {
  assertEquals(plan(["192.0.2.0/24", "2001:db8::/32"], ["198.51.100.7/32"]), {
    chains: [
      ["partner:a", ["192.0.2.0/24", "2001:db8::/32"], partnerConnections],
      ["partner:b", ["198.51.100.7/32"], partnerConnections],
    ],
    others: ["strangers", strangerConnections],
  });
});

test("planChains() lets partners share a chain only for the address that both registered", () => {
  assertEquals(plan(["192.0.2.1/32", "192.0.2.9/32"], ["192.0.2.1/32"]).chains, [
    ["shared:a", ["192.0.2.1/32"], 2 * partnerConnections],
    ["partner:a", ["192.0.2.9/32"], partnerConnections],
  ]);
});

test("planChains() counts an address within another's range as both partners'", () => {
  assertEquals(
    plan(["10.0.0.0/8"], ["10.1.0.0/16"], ["10.1.2.0/24", "172.16.0.0/12"]).chains,
    [
      ["partner:a", ["10.0.0.0/8"], partnerConnections],
      ["shared:a", ["10.1.0.0/16", "10.1.2.0/24"], 3 * partnerConnections],
      ["partner:c", ["172.16.0.0/12"], partnerConnections],
    ],
  );
  assertEquals(plan(["2001:db8::/32"], ["2001:db8:1::/48"], ["32.1.13.184/32"]).chains, [
    ["partner:a", ["2001:db8::/32"], partnerConnections],
    ["shared:a", ["2001:db8:1::/48"], 2 * partnerConnections],
    ["partner:c", ["32.1.13.184/32"], partnerConnections],
  ]);
});

test("planChains() makes one large chain where a partner of the sandbox may call from anywhere", () => {
  assertEquals(plan(["192.0.2.1/32"], []).others, ["everybody", connections / 2]);
  const production = { limits: DEFAULT_LIMITS, environment: "production" } as const;
  const { others } = planChains([{ partner: "a", addresses: [] }], production);
  assertEquals([others.name, others.connections], ["strangers", strangerConnections]);
  const unknown = planChains(undefined, SANDBOX);
  assertEquals([unknown.chains, unknown.others.connections], [[], connections]);
});

test("planChains() keeps all chains but one as they are when an address or a partner is added", () => {
  const partners = Array.from({ length: 20 }, (_, n) => ({
    partner: `bank-${n}`,
    addresses: [`192.0.2.${n}/32`],
  }));
  const chainsOf = (list: typeof partners) =>
    planChains(list, SANDBOX).chains.map((chain) => JSON.stringify(chain));
  const before = chainsOf(partners);
  const more = chainsOf([...partners, { partner: "new", addresses: ["198.51.100.1/32"] }]);
  assertEquals(more.filter((chain) => !before.includes(chain)).length, 1);
  partners[3]!.addresses.push("198.51.100.2/32");
  const changed = chainsOf(partners);
  assertEquals(changed.filter((chain) => !before.includes(chain)).length, 1);
});

test("planChains() fits 10,000 partners into the permitted chains, and loses no address", () => {
  const partners = Array.from({ length: 10_000 }, (_, n) => ({
    partner: `bank-${n}`,
    addresses: [`10.${n >> 8}.${n & 255}.1/32`],
  }));
  const { chains } = planChains(partners, SANDBOX);
  assertEquals(chains.length, DEFAULT_LIMITS.partnerChains);
  assertEquals(new Set(chains.flatMap(({ prefixes }) => prefixes)).size, 10_000);
  assert(chains.every((chain) => chain.connections <= connections / 2));
});

test("readRegisteredAddresses() writes addresses in one form and names the entry that is wrong", () => {
  assertEquals(
    readRegisteredAddresses(
      "- {partner: a, addresses: [192.0.2.7, 192.0.2.7/32, '2001:DB8:0::1/32']}\n- {partner: b, addresses: []}",
    ),
    [
      { partner: "a", addresses: ["192.0.2.7/32", "2001:db8::/32"] },
      { partner: "b", addresses: [] },
    ],
  );
  const wrong: Record<string, string> = {
    "a: b": "the addresses must be a list",
    "- {addresses: []}": "each entry",
    "- {partner: 'a b', addresses: []}": "each entry",
    "- {partner: a}": "a: addresses",
    "- {partner: a, addresses: [192.0.2.256]}": "a: 192.0.2.256",
    "- {partner: a, addresses: [localhost]}": "a: localhost",
    "- {partner: a, addresses: []}\n- {partner: a, addresses: []}": "a must be on the list once",
  };
  for (const [text, reason] of Object.entries(wrong)) {
    const error = assertThrows(() => readRegisteredAddresses(text), RangeError);
    assert(error.message.startsWith(reason), `${text} → ${error.message}`);
  }
  assertThrows(() => readRegisteredAddresses("["), SyntaxError);
});
