import {
  decimal,
  type DecimalText,
  formatTime,
  isJsonObject,
  JsonNumber,
  type JsonValue,
} from "@sabika/protocol";

/** What `--json` can write: amounts are numbers written from their exact text. */
export type Json =
  | string
  | number
  | boolean
  | null
  | DecimalText
  | readonly Json[]
  | { readonly [name: string]: Json };

/** Writes JSON with two spaces of indent and a final line feed. */
export function writeJson(value: Json): string {
  return `${render(value, "")}\n`;
}

/** An amount that JSON has exactly as its text. */
export function amount(text: string): DecimalText {
  return decimal(text);
}

/** Epoch milliseconds as a time in UTC; null stays null. */
export function time(ms: number | null): string | null {
  return ms === null ? null : formatTime(ms);
}

/** Turns parsed JSON into `Json`; its numbers keep the text that they were written as. */
export function jsonOf(value: JsonValue): Json {
  if (value instanceof JsonNumber) return decimal(value.text);
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(jsonOf);
  if (!isJsonObject(value)) return value as string | boolean | null;
  return Object.fromEntries([...value].map(([name, member]) => [name, jsonOf(member)]));
}

function render(value: Json, indent: string): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[\n${value.map((item) => inner + render(item, inner)).join(",\n")}\n${indent}]`;
  }
  if (isDecimal(value)) return value.decimal;
  const members = Object.entries(value as { [name: string]: Json });
  if (members.length === 0) return "{}";
  const lines = members.map(([name, member]) =>
    `${inner}${JSON.stringify(name)}: ${render(member, inner)}`
  );
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

function isDecimal(value: object): value is DecimalText {
  return "decimal" in value && Object.keys(value).length === 1;
}
