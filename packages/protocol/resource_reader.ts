import type { AmountResult } from "./amounts.ts";
import { type Id, type IdPrefix, isId } from "./ids.ts";
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue } from "./json.ts";
import { parseTime } from "./times.ts";

/** An answer that does not keep the contract; its message names the member, not what it held. */
export class WireFormatError extends TypeError {
  constructor(message: string) {
    super(message);
    this.name = "WireFormatError";
  }
}

/**
 * Reads the members of an answer. Members that it is not asked for are passed over: a newer service
 * may send more (Decision D41).
 *
 * Every method throws `WireFormatError` when the member is missing or of another type.
 */
export class ResourceReader {
  readonly #members: JsonObject;
  readonly #what: string;

  /** @param what names the resource in errors */
  constructor(value: JsonValue | undefined, what: string) {
    this.#what = what;
    if (!isJsonObject(value)) throw new WireFormatError(`${what}: not an object`);
    this.#members = value;
  }

  has(name: string): boolean {
    return this.#members.has(name);
  }

  isNull(name: string): boolean {
    return this.value(name) === null;
  }

  value(name: string): JsonValue {
    return this.#members.get(name) ?? (this.has(name) ? null : this.#fail(name, "is missing"));
  }

  string(name: string): string {
    const value = this.value(name);
    return typeof value === "string" ? value : this.#fail(name, "is not a string");
  }

  boolean(name: string): boolean {
    const value = this.value(name);
    return typeof value === "boolean" ? value : this.#fail(name, "is not a boolean");
  }

  /** A whole number that a double holds. */
  integer(name: string): number {
    const value = this.value(name);
    const number = value instanceof JsonNumber ? Number(value.text) : NaN;
    return Number.isSafeInteger(number) ? number : this.#fail(name, "is not a whole number");
  }

  /** A figure that may have decimals and is no amount, such as a rate limit. */
  number(name: string): number {
    const value = this.value(name);
    return value instanceof JsonNumber ? Number(value.text) : this.#fail(name, "is not a number");
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T {
    const text = this.string(name);
    return values.find((value) => value === text) ?? this.#fail(name, "has an unknown value");
  }

  id<P extends IdPrefix>(name: string, prefix: P): Id<P> {
    const text = this.string(name);
    return isId(prefix, text) ? text : this.#fail(name, "is not such an id");
  }

  amount(name: string, parse: (text: string) => AmountResult): bigint {
    const value = this.value(name);
    const amount = value instanceof JsonNumber ? parse(value.text) : undefined;
    return amount?.ok ? amount.value : this.#fail(name, "is not such an amount");
  }

  timeMs(name: string): number {
    return parseTime(this.string(name)) ?? this.#fail(name, "is not a time");
  }

  /** Any of the readings above, or null. */
  nullOr<T>(name: string, read: (name: string) => T): T | null {
    return this.isNull(name) ? null : read(name);
  }

  object(name: string): ResourceReader {
    return new ResourceReader(this.value(name), `${this.#what}.${name}`);
  }

  list<T>(name: string, read: (item: JsonValue) => T): T[] {
    const value = this.value(name);
    if (!Array.isArray(value)) this.#fail(name, "is not a list");
    return (value as readonly JsonValue[]).map((item) => read(item));
  }

  #fail(name: string, why: string): never {
    throw new WireFormatError(`${this.#what}: ${name} ${why}`);
  }
}
