import { JsonNumber, type JsonValue } from "./json.ts";
import { jsonString } from "./json_text.ts";

const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/**
 * Writes one text for all JSON texts with the same meaning: members sorted by name, no blanks, numbers by
 * their value (`1.0` = `1` = `10e-1`). Idempotency fingerprints are hashes of it (Decision D27).
 */
export function canonicalJson(value: JsonValue): string {
  if (value instanceof JsonNumber) return canonicalNumber(value.text);
  if (typeof value === "string") return jsonString(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (value instanceof Map) {
    const members = [...value as ReadonlyMap<string, JsonValue>].sort(([a], [b]) => a < b ? -1 : 1);
    return `{${
      members.map(([name, member]) => `${jsonString(name)}:${canonicalJson(member)}`).join(",")
    }}`;
  }
  return `[${(value as readonly JsonValue[]).map((item) => canonicalJson(item)).join(",")}]`;
}

/**
 * Writes `<digits without zeros at either end>e<exponent>`, or the digits alone if the exponent is 0;
 * exact, however long the number is.
 */
function canonicalNumber(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(text) ?? [];
  const all = (whole + fraction).replace(/^0+/, "");
  const digits = all.replace(/0+$/, "");
  if (digits === "") return "0";
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(all.length - digits.length);
  return power === 0n ? sign + digits : `${sign}${digits}e${power}`;
}
