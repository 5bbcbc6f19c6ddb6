import { parseDecimal, parseHalalas, parseMicrograms, parsePrice } from "@sabika/protocol";

/** An argument that is missing, of another form, or that the act does not know. */
export class ArgumentError extends Error {
  override name = "ArgumentError";
}

/** How an argument is read out of JSON; undefined when it is not of this form. */
export type Reader<T> = (value: unknown) => T | undefined;

/** The arguments of an act by name; those named in `optional` may be missing. */
export type Readers = Readonly<Record<string, Reader<unknown> | Optional<unknown>>>;

interface Optional<T> {
  readonly optional: Reader<T>;
}

/** What an act gets of its arguments. */
export type ReadArguments<F extends Readers> =
  & { [N in keyof F as F[N] extends Reader<unknown> ? N : never]: ValueOf<F[N]> }
  & { [N in keyof F as F[N] extends Reader<unknown> ? never : N]: ValueOf<F[N]> | undefined };

type ValueOf<R> = R extends Reader<infer T> ? T : R extends Optional<infer T> ? T : never;

/** The same as they are given: JSON, amounts as texts. */
export type GivenArguments<F extends Readers> =
  & { readonly [N in keyof F as F[N] extends Reader<unknown> ? N : never]: JsonOf<ValueOf<F[N]>> }
  & {
    readonly [N in keyof F as F[N] extends Reader<unknown> ? never : N]?:
      | JsonOf<ValueOf<F[N]>>
      | undefined;
  };

type JsonOf<T> = T extends bigint ? string : T;

/** An argument that may be left out. */
export const optional = <T>(reader: Reader<T>): Optional<T> => ({ optional: reader });

export const text: Reader<string> = (value) => typeof value === "string" ? value : undefined;

export const flag: Reader<boolean> = (value) => typeof value === "boolean" ? value : undefined;

/** A whole number that is not negative. */
export const whole: Reader<number> = (value) =>
  Number.isSafeInteger(value) && value as number >= 0 ? value as number : undefined;

export const texts: Reader<readonly string[]> = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;

/** One of a closed list. */
export const oneOf = <T extends string>(values: readonly T[]): Reader<T> => (value) =>
  values.find((known) => known === value);

/** Several of a closed list. */
export const someOf = <T extends string>(values: readonly T[]): Reader<readonly T[]> => (value) =>
  texts(value)?.every((one) => (values as readonly string[]).includes(one))
    ? value as readonly T[]
    : undefined;

const amount =
  (parse: (text: string) => { ok: true; value: bigint } | { ok: false }): Reader<bigint> =>
  (value) => {
    const parsed = typeof value === "string" ? parse(value) : undefined;
    return parsed?.ok ? parsed.value : undefined;
  };

/** SAR as text, to halalas. */
export const riyals = amount(parseHalalas);
/** Grams as text, to micrograms. */
export const grams = amount(parseMicrograms);
/** SAR a gram as text, to ten-thousandths. */
export const price = amount(parsePrice);
/** Percent as text, to parts per million. */
export const percent = amount((text) => parseDecimal(text, 4, 4));

/** Parts in a thousand as text, such as 999.9, to ten-thousandths. */
export const fineness = amount((text) => parseDecimal(text, 1, 1));

/**
 * Reads the arguments of an act.
 *
 * @throws {ArgumentError} naming the argument that is wrong
 */
export function readArguments<F extends Readers>(
  readers: F,
  given: Readonly<Record<string, unknown>>,
): ReadArguments<F> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(readers, name));
  if (unknown !== undefined) throw new ArgumentError(`the act has no argument "${unknown}"`);
  const read = Object.entries(readers).map(([name, reader]) => {
    const value = given[name];
    const isOptional = typeof reader !== "function";
    if (isOptional && value === undefined) return [name, undefined];
    const found = isOptional ? reader.optional(value) : reader(value);
    if (found === undefined) throw new ArgumentError(`the argument "${name}" is missing or wrong`);
    return [name, found];
  });
  return Object.fromEntries(read) as ReadArguments<F>;
}
