import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeUtf8, parseJson, PUBLISHED_RESERVE, sha256Hex } from "@sabika/protocol";
import { type Altered, alterService, FATES } from "./altered_service.ts";

const VECTORS = fileURLToPath(new URL("../../../docs/vectors", import.meta.url));
/** Names that the tables of the committed vectors do not have. */
const KEYS = "altered_keys";
const BARS = "altered_bars";

/** A vector of receipts, reserves or versions. */
type Vector = Readonly<Record<string, unknown>>;

/**
 * Makes a folder like docs/vectors with further vectors: what a partner kept of orders, bars and reserves, what it is
 * answered after the database's owner altered them, and what must be found.
 *
 * @param server the superuser URL of a real PostgreSQL
 */
export async function makeAlteredVectors(folder: string, server: string): Promise<void> {
  const altered = await alterService(server);
  await cp(VECTORS, folder, { recursive: true });
  await addReceipts(folder, altered);
  await addReserves(folder, altered);
  await addVersions(folder, altered);
}

/** Adds to the tables of a file, as JSON text so that numbers keep their digits, and to its list, which is its last member. */
async function extend(
  file: string,
  tables: Readonly<Record<string, Readonly<Record<string, string>>>>,
  vectors: readonly Vector[],
): Promise<void> {
  let text = await readFile(file, "utf8");
  for (const [table, values] of Object.entries(tables)) {
    const members = Object.entries(values).map(([name, json]) =>
      `${JSON.stringify(name)}: ${json},`
    );
    const start = `"${table}": {`;
    if (!text.includes(start)) throw new Error(`${file} has no table ${table}`);
    text = text.replace(start, () => start + members.join(""));
  }
  const end = text.lastIndexOf("]");
  const added = vectors.map((vector) => `,${JSON.stringify(vector)}`).join("");
  await writeFile(file, text.slice(0, end) + added + text.slice(end));
}

const hashOf = (text: string): Promise<string> => sha256Hex(encodeUtf8(text));

async function addReceipts(
  folder: string,
  { keys, orders, kept, answered, hashedAnew }: Altered,
): Promise<void> {
  const inForce = kept.versions.length - 1;
  const bars = async (text: string) => JSON.stringify({ text, sha256: await hashOf(text) });
  // The balances that are answered now, in the place of those after the last order.
  const now = `"balances":${answered.balances}`;
  const tables = {
    keys: { [KEYS]: keys },
    bars: {
      [BARS]: await bars(kept.versions[inForce]!),
      altered_bars_answered: await bars(answered.versions[inForce]!),
      altered_bars_hashed_anew: await bars(hashedAnew[inForce]!),
    },
    orders: {
      ...named("altered_kept_", (fate) => orders[fate].answer),
      ...named("altered_", (fate) => answered.orders[fate]),
      altered_balance_now: orders.swapped.answer.replace(/"balances":\{[^}]*\}/, now),
    },
    requests: named("altered_", (fate) => JSON.stringify(orders[fate].request)),
  };
  const all = ["signature", "value", "parts", "share", "order", "request", "bars"];
  const receipt = (
    name: string,
    change: { jws?: string; bars?: string; order?: string; request?: string },
    ...faults: string[]
  ): Vector => {
    const wrong = { other_order: "order", order_differs: "order", other_request: "request" };
    const lost = faults.map((fault) => (wrong as Record<string, string>)[fault] ?? "bars");
    const holds = all.filter((check) => !lost.includes(check));
    return { name: `the owner altered ${name}`, keys: KEYS, bars: BARS, ...change, holds, faults };
  };
  const of = (fate: typeof FATES[number]) => ({
    jws: kept.receipts[fate],
    order: `altered_kept_${fate}`,
    request: `altered_${fate}`,
  });
  const differs = "order_differs";
  await extend(join(folder, "receipt.json"), tables, [
    ...FATES.map((fate) => receipt(`nothing yet: ${fate}`, of(fate))),
    receipt("a bar", { ...of("total"), bars: "altered_bars_answered" }, "bars_altered"),
    receipt(
      "a bar and all hashes",
      { ...of("total"), bars: "altered_bars_hashed_anew" },
      "bars_altered",
    ),
    receipt("what an order cost", { ...of("total"), order: "altered_total" }, differs),
    receipt("the gold of an order", { ...of("gold"), order: "altered_gold" }, differs),
    receipt("the balances after an order", { ...of("balance"), order: "altered_balance" }, differs),
    receipt("the balances of now", { ...of("swapped"), order: "altered_balance_now" }, differs),
    receipt(
      "an order, and its receipt was signed anew",
      { ...of("remade"), jws: answered.receipts.remade },
      differs,
    ),
    receipt(
      "whose receipt it is",
      { ...of("swapped"), jws: answered.receipts.swapped },
      "other_order",
      "other_request",
    ),
  ]);
}

function named(
  prefix: string,
  textOf: (fate: typeof FATES[number]) => string,
): Record<string, string> {
  return Object.fromEntries(FATES.map((fate) => [prefix + fate, textOf(fate)]));
}

async function addReserves(folder: string, { keys, kept, answered }: Altered): Promise<void> {
  const published = (json: string) => PUBLISHED_RESERVE.read(parseJson(json));
  const [first, second] = kept.reserves.map((one) => published(one.published));
  const [altered, following] = answered.reserves.map((one) => published(one.published));
  const texts = {
    altered_first_kept: first!.text,
    altered_second_kept: second!.text,
    altered_first: altered!.text,
    altered_second: following!.text,
  };
  const openings = {
    altered_mine_kept: kept.reserves[0]!.mine,
    altered_mine: answered.reserves[0]!.mine,
    altered_mine_second: kept.reserves[1]!.mine,
  };
  const asTexts = (table: Record<string, string>) =>
    Object.fromEntries(Object.entries(table).map(([name, text]) => [name, JSON.stringify(text)]));
  const whole = {
    text: "altered_first_kept",
    hash: first!.hash,
    signature: first!.signature,
    keys: KEYS,
    attestation: null,
    attestation_keys: null,
    previous: null as string | null,
    mine: "altered_mine_kept" as string | null,
    openings: null,
  };
  const next = {
    ...whole,
    text: "altered_second_kept",
    hash: second!.hash,
    signature: second!.signature,
    previous: "altered_first_kept",
    mine: "altered_mine_second",
  };
  const reserve = (name: string, change: Partial<typeof whole>, ...faults: string[]): Vector => ({
    name: `the owner altered ${name}`,
    ...whole,
    ...change,
    faults,
  });
  const text = "altered_first";
  const { hash, signature } = altered!;
  await extend(join(folder, "reserve.json"), {
    keys: { [KEYS]: keys },
    texts: asTexts(texts),
    openings: asTexts(openings),
  }, [
    reserve("nothing yet", {}),
    reserve("nothing yet: the day after", next),
    reserve("a reserve", { text, mine: null }, "other_hash", "wrong_signature"),
    reserve("a balance in a reserve", { text, hash, signature }, "not_committed"),
    reserve("a reserve, signed anew", { text, signature, mine: null }, "other_hash"),
    reserve(
      "the reserve before the one that was kept",
      { ...next, previous: text },
      "other_previous",
    ),
    reserve(
      "all reserves since",
      { ...next, text: "altered_second", signature: following!.signature },
      "other_hash",
      "other_previous",
    ),
    reserve("the partner's own opening", { mine: "altered_mine" }, "not_committed"),
  ]);
}

async function addVersions(folder: string, { kept, answered, hashedAnew }: Altered): Promise<void> {
  const texts: Record<string, string> = {};
  const add = (name: string, versions: readonly string[]) =>
    versions.map((text, i) => {
      const at = `altered_${name}_${i + 1}`;
      texts[at] = JSON.stringify(text);
      return at;
    });
  const [ours, theirs, anew] = [
    add("kept", kept.versions),
    add("answered", answered.versions),
    add("hashed_anew", hashedAnew),
  ];
  const last = ours.length;
  const hashes = { [last]: await hashOf(kept.versions[last - 1]!) };
  const chain = (
    name: string,
    names: string[],
    at: number | null,
    ...faults: string[]
  ): Vector => ({
    name: `the owner altered ${name}`,
    texts: names,
    hashes,
    faults,
    at,
  });
  await extend(join(folder, "versions.json"), { texts }, [
    chain("nothing yet", ours, null),
    chain("a bar of the first version", theirs, 1, "other_previous", "other_hash"),
    chain("a bar and all hashes", anew, last - 1, "other_hash"),
    chain(
      "a bar and all hashes, before the version that was kept",
      [...anew.slice(0, -1), ours[last - 1]!],
      last - 1,
      "other_previous",
      "other_change",
    ),
  ]);
}
