import { inLanguage, type InOne, type Language, LANGUAGES } from "./in_language.ts";
import { WORDS } from "./words.ts";

export { type Language, LANGUAGES };

/** Every text of the console in one language. */
export type Messages = InOne<typeof WORDS>;

/** What the console says, by language. */
export const MESSAGES: Readonly<Record<Language, Messages>> = {
  en: inLanguage("en", WORDS),
  ar: inLanguage("ar", WORDS),
};

/** Which way a language is written. */
export const DIRECTION: Readonly<Record<Language, "ltr" | "rtl">> = { en: "ltr", ar: "rtl" };

/** The first of our languages that the header names (RFC 9110 §12.5.4). */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const [found] = /\b(?:en|ar)\b/i.exec(acceptLanguage ?? "") ?? [];
  return (found?.toLowerCase() as Language | undefined) ?? LANGUAGES[0];
}

const UNITS = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]] as const;

/** A length of time in its largest unit, rounded down: `3 min`. */
export function duration(language: Language, seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [unit, length] = UNITS.find(([, length]) => whole >= length) ?? UNITS[3];
  return new Intl.NumberFormat(`${language}-u-nu-latn`, {
    style: "unit",
    unit,
    unitDisplay: "short",
  }).format(Math.floor(whole / length));
}
