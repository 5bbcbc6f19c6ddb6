import type { ChecklistStep, TradeCheck } from "@sabika/office/oversight";
import type { Account, CredentialKind, DeliveryFailure } from "@sabika/protocol";
import type { RecountCheck } from "@sabika/service/ledger";
import type { Role, TermName } from "@sabika/terms";
import ar from "./ar.json" with { type: "json" };
import en from "./en.json" with { type: "json" };

/** The languages of the console (ISO 639-1); the first is used when a browser asks for none of them. */
export const LANGUAGES = ["en", "ar"] as const;
/** One of {@linkcode LANGUAGES}. */
export type Language = (typeof LANGUAGES)[number];

/** The texts for the values of the service's closed lists: a catalogue has one for each. */
interface ClosedLists {
  readonly roles: Readonly<Record<Role, string>>;
  readonly credentials: Readonly<Record<CredentialKind, string>>;
  readonly tradeChecks: Readonly<Record<TradeCheck, string>>;
  readonly recountChecks: Readonly<Record<RecountCheck, string>>;
  readonly checklist: { readonly steps: Readonly<Record<ChecklistStep, string>> };
  readonly failures: Readonly<Record<DeliveryFailure, string>>;
  readonly accounts: Readonly<Record<Account, string>>;
  readonly partners: { readonly terms: Readonly<Record<TermName, string>> };
}

/** Every text of the console in one language; `fill` replaces the places in braces. */
export type Messages = typeof en & ClosedLists;

/** The texts of the console, by language. A catalogue that lacks a text does not compile. */
export const MESSAGES: Readonly<Record<Language, Messages>> = { en, ar };

/** The direction in which each language is written. */
export const DIRECTION: Readonly<Record<Language, "ltr" | "rtl">> = { en: "ltr", ar: "rtl" };

/** Returns the supported language that an Accept-Language header (RFC 9110 §12.5.4) names first, else `en`. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const [found] = /\b(?:en|ar)\b/i.exec(acceptLanguage ?? "") ?? [];
  return (found?.toLowerCase() as Language | undefined) ?? LANGUAGES[0];
}

const UNITS = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]] as const;

/** Writes a length of time in its largest unit, rounded down: `3 min`; a negative length as 0. */
export function duration(language: Language, seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [unit, length] = UNITS.find(([, length]) => whole >= length) ?? UNITS[3];
  return new Intl.NumberFormat(`${language}-u-nu-latn`, {
    style: "unit",
    unit,
    unitDisplay: "short",
  }).format(Math.floor(whole / length));
}
