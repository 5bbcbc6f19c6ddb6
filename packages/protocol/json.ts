/**
 * What a JSON text says. Numbers keep their source text, so that an amount never becomes a binary
 * fraction (Decision D5); objects are maps, so that no member name is special.
 */
export type JsonValue = null | boolean | string | JsonNumber | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** A number as it stood in the source. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Whether `value` is an object. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return value instanceof Map;
}
