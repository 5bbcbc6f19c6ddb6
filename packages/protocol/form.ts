import {
  type AmountResult,
  formatHalalas,
  formatMicrograms,
  formatPrice,
  formatRate,
  parseHalalas,
  parseMicrograms,
  parsePrice,
  parseRate,
} from "./amounts.ts";
import { type Id, type IdPrefix, isId } from "./ids.ts";
import { JsonNumber, type JsonValue } from "./json.ts";
import { jsonString } from "./json_text.ts";
import { decimalShape, idShape, orNull, type Shape, TIME_SHAPE } from "./shape.ts";
import { formatTime, parseTime } from "./times.ts";

/** Thrown when an answer breaks the contract; the message names the member, not its value. */
export class WireFormatError extends TypeError {
  /** The name that errors show. */
  override name = "WireFormatError";
}

/** The wire form of a kind of value: defined once, for writing, reading and describing. */
export interface Form<T> {
  /** Its JSON Schema. */
  readonly shape: Shape;
  /** Writes the value as JSON text. */
  write(value: T): string;
  /**
   * Reads the value from parsed JSON.
   *
   * @param at names the member in errors, e.g. `order: total_sar`
   * @throws {WireFormatError} when it is not of this form
   */
  read(value: JsonValue, at?: string): T;
}

/** Throws the error of a value that cannot be read: {@link WireFormatError}. */
export function unreadable(at: string | undefined, reason: string): never {
  throw new WireFormatError(`${at ?? "value"} ${reason}`);
}

/** Makes a form of values that are only read here; writing throws a TypeError. */
export function readOnly<T>(read: (value: JsonValue) => T): Form<T> {
  return {
    shape: {},
    write: () => {
      throw new TypeError("this form is only read");
    },
    read: (value) => read(value),
  };
}

/** A string. */
export const STRING: Form<string> = {
  shape: { type: "string" },
  write: jsonString,
  read: (value, at) => typeof value === "string" ? value : unreadable(at, "is not a string"),
};

/** `true` or `false`. */
export const BOOLEAN: Form<boolean> = {
  shape: { type: "boolean" },
  write: String,
  read: (value, at) => typeof value === "boolean" ? value : unreadable(at, "is not a boolean"),
};

/** A whole number that a double holds. */
export const INTEGER: Form<number> = {
  shape: { type: "integer" },
  write: String,
  read(value, at) {
    const number = value instanceof JsonNumber ? Number(value.text) : NaN;
    return Number.isSafeInteger(number) ? number : unreadable(at, "is not a whole number");
  },
};

/** A number with decimals that is not an amount, such as a rate limit. */
export const FIGURE: Form<number> = {
  shape: { type: "number" },
  write: String,
  read: (value, at) =>
    value instanceof JsonNumber ? Number(value.text) : unreadable(at, "is not a number"),
};

/** A time as epoch milliseconds; RFC 3339 on the wire (Decision D7). */
export const TIME: Form<number> = {
  shape: TIME_SHAPE,
  write: (epochMs) => `"${formatTime(epochMs)}"`,
  read: (value, at) => parseTime(STRING.read(value, at)) ?? unreadable(at, "is not a time"),
};

/** Money in halalas; riyals on the wire (Decision D3). */
export const HALALAS: Form<bigint> = amount(formatHalalas, parseHalalas, 2, "SAR");
/** Gold in micrograms; grams on the wire (Decision D2). */
export const MICROGRAMS: Form<bigint> = amount(formatMicrograms, parseMicrograms, 4, "grams");
/** A price in ten-thousandths of a riyal a gram; riyals on the wire (Decision D4). */
export const PRICE_PER_GRAM: Form<bigint> = amount(formatPrice, parsePrice, 4, "SAR a gram");
/** A share in parts per million; a fraction on the wire (Decision D8). */
export const RATE: Form<bigint> = amount(formatRate, parseRate, 6, "a fraction: 0.15 is 15 %");

function amount(
  format: (value: bigint) => string,
  parse: (text: string) => AmountResult,
  decimals: number,
  unit: string,
): Form<bigint> {
  return {
    shape: decimalShape(decimals, unit),
    write: format,
    read(value, at) {
      const parsed = value instanceof JsonNumber ? parse(value.text) : undefined;
      return parsed?.ok ? parsed.value : unreadable(at, "is not such an amount");
    },
  };
}

/** Makes the form of a closed list of strings, none of which JSON must escape. */
export function oneOf<T extends string>(values: readonly T[]): Form<T> {
  return {
    shape: { type: "string", enum: values },
    write: (value) => `"${value}"`,
    read(value, at) {
      const text = STRING.read(value, at);
      return values.find((known) => known === text) ?? unreadable(at, "has an unknown value");
    },
  };
}

/** Makes the form of an id with its prefix (Decision D7). */
export function id<P extends IdPrefix>(prefix: P): Form<Id<P>> {
  return {
    shape: idShape(prefix),
    write: (value) => `"${value}"`,
    read(value, at) {
      const text = STRING.read(value, at);
      return isId(prefix, text) ? text : unreadable(at, "is not such an id");
    },
  };
}

/** Makes the form of a value of this form, or null. */
export function nullable<T>(form: Form<T>): Form<T | null> {
  return {
    shape: orNull(form.shape),
    write: (value) => value === null ? "null" : form.write(value),
    read: (value, at) => value === null ? null : form.read(value, at),
  };
}

/** Makes the form of an array of values of this form. */
export function list<T>(form: Form<T>): Form<readonly T[]> {
  return {
    shape: { type: "array", items: form.shape },
    write: (values) => `[${values.map((value) => form.write(value)).join(",")}]`,
    read: (value, at) =>
      Array.isArray(value)
        ? (value as readonly JsonValue[]).map((item) => form.read(item, at))
        : unreadable(at, "is not a list"),
  };
}
