import { parseTime } from "@sabika/protocol";
import { bankOf, riyadhTime } from "@sabika/terms";
import { isValue } from "./check_dossier.ts";
import type { Line, Value } from "./line.ts";
import { LABELS, WORDS } from "./words.ts";

/** The languages in which dossiers are written. */
export type DossierLanguage = "en" | "ar";

/** Names of acts and roles in the reader's language; without them they are shown as they are. */
export interface DossierNames {
  readonly acts?: Readonly<Record<string, string>>;
  readonly roles?: Readonly<Record<string, string>>;
}

/** A line as people read it. */
export interface WrittenLine {
  readonly label: string;
  readonly value: string;
  /** What it is until the act is done, where the act changes it. */
  readonly was?: string;
}

const UNITS = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], [
  "second",
  1_000,
]] as const;

/** What sentences with a place are made of, by language. */
const TEXTS = {
  en: {
    sar: "{} SAR",
    grams: "{} g",
    price: "{} SAR/g",
    times: "{} times",
    once: "once",
    never: "never",
    perSecond: "{} a second",
    atOnce: "{} at once",
    always: "always",
    above: "above {}",
    outside: "outside {} to {}",
    is: "is {}",
    moved: "moved by more than {} a day",
    day: "together a day",
    by: { person: "by one person", partner: "for one partner" },
    changed: "Changed since it was asked for: {}",
    or: " or ",
    list: ", ",
  },
  ar: {
    sar: "{} ر.س",
    grams: "{} غ",
    price: "{} ر.س/غ",
    times: "{} مرات",
    once: "مرة واحدة",
    never: "لم يحدث",
    perSecond: "{} في الثانية",
    atOnce: "{} دفعة واحدة",
    always: "دائمًا",
    above: "فوق {}",
    outside: "خارج {} إلى {}",
    is: "هو {}",
    moved: "تغيّر بأكثر من {} في اليوم",
    day: "معًا في اليوم",
    by: { person: "لشخص واحد", partner: "لشريك واحد" },
    changed: "تغيّر منذ الطلب: {}",
    or: " أو ",
    list: "، ",
  },
} as const;

/** Writes a line in a language, the same on every page, in mails and in the command. */
export function writeLine(
  { name, value, was, changed }: Line,
  language: DossierLanguage,
  names: DossierNames = {},
): WrittenLine {
  const write = (value: Value) => writeValue(value, language, names);
  // A line of a later release is shown by its name.
  const called = LABELS[name]?.[language] ?? name;
  const label = changed === true ? put(TEXTS[language].changed, called) : called;
  return { label, value: write(value), ...was !== undefined && { was: write(was) } };
}

/** Writes in English what changed, as refusals and the log say it. */
export function writeDifference(difference: Line): string {
  const { changed: _, ...plain } = difference;
  const { label, was, value } = writeLine(plain, "en");
  return `${label} changed from ${was} to ${value}`;
}

function writeValue(value: Value, language: DossierLanguage, names: DossierNames): string {
  // A value of a later release is shown as it was kept.
  if (!isValue(value)) return JSON.stringify(value);
  const texts = TEXTS[language];
  if ("text" in value) return value.text;
  if ("texts" in value) return listed(value.texts, language);
  if ("sar" in value && !("times" in value)) return put(texts.sar, figure(value.sar!, 2));
  if ("sar_per_gram" in value) return put(texts.price, figure(value.sar_per_gram));
  if ("grams" in value) return put(texts.grams, figure(value.grams));
  if ("percent" in value) return `${value.percent} %`;
  if ("count" in value) return figure(String(value.count));
  if ("times" in value) return writeTimes(value, language);
  if ("at" in value) return writeMoment(value.at);
  if ("ms" in value) return writeLength(value.ms, language);
  if ("iban" in value) return writeIban(value.iban, language);
  if ("word" in value) return WORDS[value.word]?.[language] ?? value.word;
  if ("roles" in value) {
    return listed(value.roles.map((role) => nameIn(names.roles, role)), language);
  }
  if ("act" in value) return nameIn(names.acts, value.act);
  if ("conditions" in value) return writeConditions(value.conditions, language);
  const [perSecond, burst] = [value.rate.perSecond, value.rate.burst].map(String).map((n) =>
    figure(n)
  );
  return listed([put(texts.perSecond, perSecond!), put(texts.atOnce, burst!)], language);
}

const nameIn = (names: Readonly<Record<string, string>> = {}, name: string): string =>
  Object.hasOwn(names, name) ? names[name]! : name;

function listed(texts: readonly string[], language: DossierLanguage): string {
  return texts.length === 0 ? WORDS.none[language] : texts.join(TEXTS[language].list);
}

/** Writes a decimal number for people: `1,234.5`, with at least `minDecimals` decimals. */
export function figure(text: string, minDecimals = 0): string {
  const [whole = "", fraction = ""] = text.replace("-", "−").split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const padded = fraction.padEnd(minDecimals, "0");
  return padded === "" ? grouped : `${grouped}.${padded}`;
}

function put(text: string, ...values: (string | number)[]): string {
  return values.reduce<string>((found, value) => found.replace("{}", String(value)), text);
}

function writeTimes(
  { times, sar }: { readonly times: number; readonly sar?: string },
  language: DossierLanguage,
): string {
  const texts = TEXTS[language];
  if (times === 0) return texts.never;
  const count = times === 1 ? texts.once : put(texts.times, times);
  return sar === undefined ? count : listed([count, put(texts.sar, figure(sar, 2))], language);
}

function writeMoment(text: string): string {
  const epochMs = parseTime(text);
  return epochMs === undefined ? text : riyadhTime(epochMs);
}

function writeLength(ms: number, language: DossierLanguage): string {
  const [unit, length] = UNITS.find(([, length]) => ms >= length && ms % length === 0) ?? UNITS[3];
  return new Intl.NumberFormat(`${language}-u-nu-latn`, {
    style: "unit",
    unit,
    unitDisplay: "long",
  }).format(ms / length);
}

function writeIban(iban: string, language: DossierLanguage): string {
  const grouped = iban.replace(/(.{4})(?=.)/g, "$1 ");
  const bank = bankOf(iban);
  return bank === undefined ? grouped : `${grouped} (${bank[language]})`;
}

const CONDITION =
  /^([a-z_]+) (?:is (\S+)|outside (\S+?)\.\.(\S+)|(moved )?above (\S+)( a day(?: by (person|partner))?)?)$/;

/** The label of each argument that a condition may name, as dossiers call it. */
const ARGUMENTS: Readonly<Record<string, keyof typeof LABELS>> = {
  amount_sar: "amount",
  grams: "gold",
  weight_grams: "weight",
  source: "price_source",
  mid_price_sar: "mid_price",
};

function writeConditions(conditions: readonly string[], language: DossierLanguage): string {
  const { always, or } = TEXTS[language];
  return conditions.map((condition) => writeCondition(condition, language)).join(or) || always;
}

function writeCondition(condition: string, language: DossierLanguage): string {
  const [, argument = "", is, least, most, moved, bound, day, by] = CONDITION.exec(condition) ?? [];
  if (argument === "") return condition;
  const texts = TEXTS[language];
  const name = ARGUMENTS[argument] ?? argument as keyof typeof LABELS;
  const words: string[] = [LABELS[name]?.[language] ?? argument];
  if (is !== undefined) {
    words.push(put(texts.is, WORDS[is as keyof typeof WORDS]?.[language] ?? is));
  } else if (least !== undefined) words.push(put(texts.outside, figure(least), figure(most!)));
  else words.push(put(moved === undefined ? texts.above : texts.moved, figure(bound!)));
  if (day !== undefined && moved === undefined) words.push(texts.day);
  if (by !== undefined) words.push(texts.by[by as keyof typeof texts.by]);
  return words.join(" ");
}
