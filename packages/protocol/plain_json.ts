import { isJsonObject, type JsonArray, JsonNumber, type JsonValue } from "./json.ts";

/** Converts a value to what `JSON.parse` returns for the same text. */
export function plainJson(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return (value as JsonArray).map(plainJson);
  if (!isJsonObject(value)) return value;
  // As own members, whatever their names.
  return Object.fromEntries([...value].map(([name, member]) => [name, plainJson(member)]));
}
