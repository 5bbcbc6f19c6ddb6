import { parseDecimal } from "@sabika/protocol";
import { isSerial, type NewBar } from "@sabika/service/vault";
import { REFINER_LISTS } from "@sabika/terms";
import type { WeightListBar } from "@sabika/terms/weight-list";
import { type Argument, text, texts } from "./arguments.ts";

const NEEDED = ["serial", "refiner", "fineness", "weight_grams"];
const TEXTS = [...NEEDED, "vault", "place", "document", "year", "list"];

const LISTS: readonly string[] = [...REFINER_LISTS, "unlisted"];

/** A list of bars that arrived together. */
export const newBars: Argument<readonly WeightListBar[]> = {
  shape: {
    type: "array",
    items: {
      type: "object",
      properties: {
        ...Object.fromEntries(TEXTS.map((name) => [name, text.shape])),
        documents: texts.shape,
      },
      required: NEEDED,
      additionalProperties: false,
      description: "A bar: gross grams with at most 6 decimals, SHA-256 of documents.",
    },
  },
  read: (value) => Array.isArray(value) && value.every(isListedBar) ? value : undefined,
  mistakeIn(bars) {
    const wrong = bars.find(({ serial }) => !isSerial(serial));
    return wrong && { code: "wrong_bar", which: wrong.serial };
  },
};

function isListedBar(value: unknown): value is WeightListBar {
  if (typeof value !== "object" || value === null) return false;
  const { documents, ...members } = value as Readonly<Record<string, unknown>>;
  const { year, list } = members;
  if (year !== undefined && !(typeof year === "string" && /^\d{4}$/.test(year))) return false;
  if (list !== undefined && !LISTS.includes(list as string)) return false;
  return NEEDED.every((name) => name in members) &&
    Object.entries(members).every(([name, member]) =>
      TEXTS.includes(name) && typeof member === "string"
    ) && (documents === undefined || texts.read(documents) !== undefined) &&
    amountsOf(value as WeightListBar) !== undefined;
}

function amountsOf({ fineness, weight_grams }: WeightListBar) {
  const [parts, weight] = [parseDecimal(fineness, 1, 1), parseDecimal(weight_grams, 6, 6)];
  return parts.ok && weight.ok
    ? { finenessTenThousandths: Number(parts.value), weightMicrograms: weight.value }
    : undefined;
}

/** Returns a new bar's fine weight, micrograms (Decision D94). */
export const fineOf = ({ weightMicrograms, finenessTenThousandths }: NewBar): bigint =>
  weightMicrograms * BigInt(finenessTenThousandths) / 10_000n;

/** Returns the bars of a list that was read. */
export const readNewBars = (bars: readonly WeightListBar[]): NewBar[] =>
  bars.map(({ fineness, weight_grams, documents, year, ...bar }) => ({
    ...bar,
    ...year !== undefined && { year: Number(year) },
    ...amountsOf({ fineness, weight_grams, ...bar })!,
    ...documents !== undefined && { documents: [...documents] },
  }));
