import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ACT_IBAN, actDossiers } from "../../../test/support/act_dossiers.ts";
import { openActSubjects } from "../../../test/support/act_subjects.ts";
import type { Shape } from "@sabika/protocol";
import { CATALOGUE, isCarried } from "./catalogue.ts";
import { isDossier } from "./dossier/check_dossier.ts";
import { factsOf, textOf } from "./dossier/line.ts";
import { performAct } from "./perform.ts";
import { readDossier } from "./read_dossier.ts";

const { admin, withdraw } = await openActSubjects();
const [first, second] = [await withdraw(), await withdraw()];
const address = { partner: "bank-one", cidr: "192.0.2.0/24" };
assert((await performAct(admin, { name: "address.add", arguments: address })).ok);
after(() => admin.close());

type Input = Readonly<Record<string, unknown>>;

const LISTED = {
  serial: "B-3",
  refiner: "PAMP",
  fineness: "999.9",
  weight_grams: "500",
  vault: "Riyadh",
  place: "shelf 4",
  document: "W-1",
  documents: ["cd"],
  year: "2024",
};
const FEED = { url: "https://feed.example/gold", path: "$.price" };

/** Acts besides those of `actDossiers` that use other arguments. */
const MORE: readonly (readonly [name: string, input: Input])[] = [
  ["vault.bars.add", { bars: [LISTED] }],
  ["vault.bars.add", { bars: [LISTED, { ...LISTED, serial: "B-4" }] }],
  ["vault.count", { bars: ["B-1=995", "T2"] }],
  ["vault.bar.replace", { serials: ["B-1"], bars: [LISTED, { ...LISTED, serial: "B-4" }] }],
  ["price.set", { source: "simulated", base_price_sar: "400", seed: 1 }],
  ["price.set", { source: "feed", feed: FEED, url_sha256: "ab" }],
];

/** Arguments that no fact has to say, and why. */
const NOT_SAID: readonly (readonly [RegExp, reason: string])[] = [
  [
    /^withdrawal\.\w+ (partner|amount_sar)$/,
    "the act refuses any but the withdrawal's, which is said",
  ],
  [/^(reserve\.attest|vault\.count\.inspect) signature$/, "whose it is, and over what, is said"],
  [
    /^price\.set (fixed (base|seed|feed|url)|simulated (mid|feed|url)|feed (mid|base|seed))/,
    "the act uses none that its source does not have",
  ],
];

/** Other values of arguments, and of members of bars, whose shape does not say them. */
const OTHERS: Readonly<Record<string, readonly unknown[]>> = {
  partner: [first.clientId],
  withdrawal: [second.id],
  rates: [{ perSecond: 1, burst: 2 }, { perSecond: 2, burst: 2 }, { perSecond: 1, burst: 3 }]
    .flatMap((rate) => [{ read: rate }, { token: rate }]),
  feed: [{ ...FEED, path: "$.gold" }, { ...FEED, poll_ms: 5 }, {
    ...FEED,
    url: "https://f.example/",
  }],
  " year": ["2023"],
  "vault.count bars": ["B-1=999.4", "B-1", "T2", "B-1=999.5,T2", "B-1,T2=1000000", "B-1,T2"]
    .map((bars) => bars.split(",")),
  // The act refuses any but that of the refiner today, which is said.
  " list": [],
};

/** Other values of an argument, or of a member of one, each changed in one place. */
function othersOf(name: string, shape: Shape, value: unknown): readonly unknown[] {
  const { type, items, properties } = shape;
  const others = OTHERS[name] ?? OTHERS[name.split(" ")[1] ?? ""];
  if (others !== undefined) return others;
  if (shape.enum !== undefined) return shape.enum.filter((other) => other !== value).slice(0, 1);
  if (type === "boolean") return [value !== true];
  if (type === "integer") return [Number(value ?? 0) + 1];
  if (type === "array") {
    const list = (value ?? []) as readonly unknown[];
    const changed = list.flatMap((item, n) =>
      othersOf("", items!, item).map((other) => list.with(n, other))
    );
    const more = othersOf("", items!, undefined).filter((item) => !list.includes(item))
      .map((item) => [...list, item]);
    return [...changed, ...more, ...list.length === 0 ? [] : [list.slice(1)]];
  }
  if (properties !== undefined) {
    const bar = (value ?? LISTED) as Input;
    return Object.entries(properties).flatMap(([member, shape]) =>
      othersOf(` ${member}`, shape, bar[member]).map((other) => ({ ...bar, [member]: other }))
    );
  }
  const text = String(value ?? "1");
  if (/^[\d.]+$/.test(text)) return [String(Number(text) - 1)];
  return [/^\d{4}-\d\d-\d\d$/.test(text) ? "2026-05-05" : `${text}1`];
}

const NEW = { client_id: "new", name: "N", iban: ACT_IBAN, webhook_url: "https://n.example/" };

async function textFor(name: string, input: Input): Promise<string> {
  const { database: { sql }, environment, now } = admin;
  const outcome = await readDossier({ sql, environment, now }, name, input);
  assert(outcome.ok && isDossier(outcome.value), `${name}: ${JSON.stringify(outcome)}`);
  return textOf(factsOf(outcome.value));
}

test("whatever argument of an act is another, a fact of its dossier is another", async () => {
  const known = await actDossiers(first, "none");
  const bases = [...known.map(([name, input]) => [name, input as Input] as const), ...MORE];
  const unsaid: string[] = [];
  for (const [name, input] of bases) {
    assert(isCarried(name));
    const said = await textFor(name, input);
    for (const [argument, { shape }] of Object.entries(CATALOGUE[name].parameters)) {
      const others = othersOf(`${name} ${argument}`, shape, input[argument]);
      const texts = await Promise.all(
        others.map((other) => textFor(name, { ...input, [argument]: other })),
      );
      if (new Set([said, ...texts]).size > others.length) continue;
      unsaid.push([name, input["source"] ?? [], argument].flat().join(" "));
    }
  }
  assertEquals(unsaid.filter((key) => !NOT_SAID.some(([pattern]) => pattern.test(key))), []);
});

test("a source address is shown as the act reads it, however it was written", async () => {
  const partner = "bank-one";
  const texts = (cidr: string) =>
    Promise.all([
      textFor("address.add", { partner, cidr }),
      textFor("address.remove", { partner, cidr }),
      textFor("partner.create", { ...NEW, addresses: [cidr] }),
    ]);
  const written = { "192.0.2.7": "192.0.2.7/32", "2001:DB8::/32": "2001:db8::/32" };
  for (const [address, cidr] of Object.entries(written)) {
    const added = await performAct(admin, { name: "address.add", arguments: { partner, cidr } });
    assert(added.ok);
    assertEquals(await texts(address), await texts(cidr));
  }
  const [, removed] = await texts("192.0.2.7");
  assertStringIncludes(removed, '"value":{"texts":["192.0.2.0/24","2001:db8::/32"]}');
});
