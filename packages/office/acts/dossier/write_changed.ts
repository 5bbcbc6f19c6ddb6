import type { Line, Value } from "./line.ts";
import { LABELS, WORDS } from "./words.ts";
import { type DossierLanguage, writeLine } from "./write_line.ts";

/** What `writeDifference` wrote, at the beginning of a refusal or of the reason why a request is void. */
const SENTENCE =
  /^(.+?) changed from (.+) to (.+?)(?: since (this was requested|it was shown: look again))?$/;

/** The kinds of values that are figures with a unit. */
const FIGURES = [
  [/^(\S+) SAR\/g$/, "sar_per_gram"],
  [/^(\S+) SAR$/, "sar"],
  [/^(\S+) g$/, "grams"],
] as const;

/**
 * Writes in another language the sentence that says in English which fact changed.
 *
 * @returns undefined for a text that is no such sentence
 */
export function writeChanged(text: string, language: DossierLanguage): string | undefined {
  const [, english, was = "", value = "", since] = SENTENCE.exec(text) ?? [];
  const name = (Object.keys(LABELS) as Line["name"][]).find((key) => LABELS[key].en === english);
  if (name === undefined) return undefined;
  const line = { name, was: valueOf(was), value: valueOf(value) };
  const isRequest = since === "this was requested";
  const written = writeLine(isRequest ? { ...line, changed: true } : line, language);
  return `${written.label}: ${written.was} ${language === "ar" ? "←" : "→"} ${written.value}`;
}

/** The value that was written in English; a text where it is the same in every language. */
function valueOf(text: string): Value {
  const word = (Object.keys(WORDS) as (keyof typeof WORDS)[]).find((key) => WORDS[key].en === text);
  if (word !== undefined) return { word };
  const [, country] = /^([A-Z]{2})\d\d [A-Z0-9]{4}[^(]*(?:\(.*\))?$/.exec(text) ?? [];
  if (country !== undefined) return { iban: text.replace(/\(.*\)$/, "").replaceAll(" ", "") };
  const [count, sum] = text.split(", ");
  const times = count === "never"
    ? 0
    : count === "once"
    ? 1
    : Number(/^(\d+) times$/.exec(count!)?.[1]);
  if (!Number.isNaN(times)) {
    const sar = sum?.replaceAll(",", "").replace(/ SAR$/, "");
    return { times, ...sar !== undefined && { sar } };
  }
  for (const [pattern, unit] of FIGURES) {
    const [, figure] = pattern.exec(text) ?? [];
    if (figure !== undefined) return { [unit]: figure.replaceAll(",", "") } as unknown as Value;
  }
  return { text };
}
