/**
 * A parsed JSON text. Numbers keep their source text, so that an amount never becomes a binary
 * fraction (Decision D5); objects are maps, so that no member name is special.
 */
export type JsonValue = null | boolean | string | JsonNumber | JsonArray | JsonObject;
/** A JSON array. */
export type JsonArray = readonly JsonValue[];
/** A JSON object; its members in their order. */
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** A number with its source text. */
export class JsonNumber {
  /** The number as it was written. */
  readonly text: string;
  /** Takes the digits as they are. */
  constructor(text: string) {
    this.text = text;
  }
}

/** Returns whether `value` is an object. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return value instanceof Map;
}
