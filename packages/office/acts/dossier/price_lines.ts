import { formatPrice } from "@sabika/protocol";
import { drizzle } from "@sabika/database";
import { priceSettings } from "@sabika/service/prices";
import type { PriceArguments } from "../set_prices.ts";
import { change, type Dossier, type Line, line, type Value } from "./line.ts";
import type { Describe, Subject } from "./subject.ts";

/** Where prices come from, from now on. */
export const describePrices: Describe<PriceArguments> = async (subject) => {
  const { source, mid_price_sar, base_price_sar, seed, feed, url_sha256 = "" } = subject.input;
  const before = await readSettings(subject);
  const price = source === "fixed" ? mid_price_sar : base_price_sar;
  const { url = "", ...settings } = feed ?? {};
  return [
    change("price_source", { word: before.source }, { word: source }),
    ...price === undefined
      ? []
      : [changeOf("mid_price", before.price, { sar_per_gram: formatPrice(price) })],
    ...source !== "simulated" || seed === undefined ? [] : [line("seed", { text: String(seed) })],
    ...source !== "feed" ? [] : [
      changeOf("feed", before.url, { text: String(url) }),
      // The query may hold a key, and says which metal's price it is.
      line("feed_sha256", { text: url_sha256 }),
      line("feed_settings", {
        texts: Object.entries(settings).sort().map(([name, value]) => `${name} ${value}`),
      }),
    ],
  ];
};

/** That quotes are made, or are not. */
export const describeQuoting = (paused: boolean): Describe<object> => async (subject) => {
  const before = await readSettings(subject);
  const word = (paused: boolean): Value => ({ word: paused ? "paused" : "quoting" });
  return [
    change("prices", word(before.paused), word(paused)),
    line("price_source", { word: before.source }),
    ...before.price === undefined ? [] : [line("mid_price", before.price)],
    ...before.url === undefined ? [] : [line("feed", before.url)],
  ] satisfies Dossier;
};

async function readSettings({ control }: Pick<Subject<unknown>, "control">) {
  const [row] = await drizzle(control).select().from(priceSettings);
  const { source, configuration, paused } = row!;
  const price = configuration["mid"] ?? configuration["base"];
  const { url } = configuration;
  return {
    source,
    paused,
    price: price === undefined ? undefined : { sar_per_gram: String(price) },
    url: typeof url === "string" ? { text: url } : undefined,
  };
}

const changeOf = (name: Line["name"], was: Value | undefined, value: Value): Line =>
  was === undefined ? line(name, value) : change(name, was, value);
