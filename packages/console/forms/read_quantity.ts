import type { Quantity } from "@sabika/office/acts";
import { formatDecimal, parseDecimal } from "@sabika/protocol";

/** Why a text is not read as a quantity; `ambiguous`: it could be meant in two ways. */
export type QuantityMistake = "no_number" | "ambiguous" | "too_precise" | "wrong_unit";

/** Words for each unit, in lower case, each with the power of ten that it stands for. */
const UNITS: Record<Quantity["unit"], Readonly<Record<string, number>>> = {
  "SAR": each("sar sr riyal riyals ر.س رس ريال ريالات ﷼ \u20c1", 0),
  "g": {
    ...each("g gr gram grams gm غ غم غرام غرامات جم جرام جرامات", 0),
    ...each("kg kilo kilos kilogram kilograms كغ كغم كجم كيلو كيلوغرام كيلوجرام", 3),
  },
  "SAR/g": each("sar sr ر.س ريال sar/g ر.س/غ", 0),
  "%": each("% percent", 0),
  "‰": each("‰", 0),
  "count": {},
};

function each(words: string, power: number): Record<string, number> {
  return Object.fromEntries(words.split(" ").map((word) => [word, power]));
}

const NUMBER = "-?[0-9.,'٬ ]*[0-9][0-9.,'٬ ]*";
/** A number with a unit before or after it. */
const PARTS = new RegExp(`^([\\p{L}\\p{Sc}][^0-9-]*)?(${NUMBER})([\\p{L}\\p{Sc}%‰][^0-9]*)?$`, "u");
const GROUPED = /^-?[1-9][0-9]{0,2}(?:([,'٬ ])[0-9]{3})(?:\1[0-9]{3})*(?:\.[0-9]*)?$/;
const UNGROUPED = /^-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)$/;

/**
 * Reads a quantity as people write it: digits of both scripts, with or without groups of three, with its unit.
 * A point is for decimals and a comma for groups, as the console itself writes them; a text that could
 * be meant in two ways, such as `1,5` or `1.000,50`, is refused.
 *
 * @returns the number in the quantity's own unit, as acts take it: `250000.5`
 */
export function readQuantity(
  text: string,
  { unit, decimals }: Quantity,
): { ok: true; value: string } | { ok: false; code: QuantityMistake } {
  const [, before = "", number, after = ""] = PARTS.exec(inOneScript(text)) ?? [];
  if (number === undefined) return { ok: false, code: "no_number" };
  const power = powerOf(unit, before.trim(), after.trim());
  if (power === undefined) return { ok: false, code: "wrong_unit" };
  const digits = number.trim();
  if (!GROUPED.test(digits) && !UNGROUPED.test(digits)) {
    const isAmbiguous = /[,'٬ ]|\..*\./.test(digits);
    return { ok: false, code: isAmbiguous ? "ambiguous" : "no_number" };
  }
  const plain = digits.replaceAll(/[,'٬ ]/g, "").replace(/^(-?)\./, "$10.").replace(/\.$/, "");
  const read = parseDecimal(plain, decimals + power, decimals + power);
  if (!read.ok) return { ok: false, code: read.code === "too_precise" ? read.code : "no_number" };
  return { ok: true, value: formatDecimal(read.value * 10n ** BigInt(power), decimals + power) };
}

/** Returns the power of ten of a unit's word, before or after the number; undefined for another unit's. */
function powerOf(unit: Quantity["unit"], before: string, after: string): number | undefined {
  if (before !== "" && after !== "") return undefined;
  const word = (before + after).toLowerCase().replaceAll(" ", "");
  const units = UNITS[unit];
  return word === "" ? 0 : units[word] ?? units[word.replace(/\.$/, "")];
}

/** Writes digits, spaces and signs of both scripts in one way; leaves out marks of direction. */
export function inOneScript(text: string): string {
  return text
    .replaceAll(/[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, "")
    .replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replaceAll(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .replaceAll(/\s/g, " ")
    .replaceAll("’", "'")
    .replaceAll("،", ",")
    .replaceAll("٫", ".")
    .replaceAll("٪", "%")
    .replaceAll("−", "-")
    .trim();
}
