import {
  parseDecimal,
  parseHalalas,
  parseMicrograms,
  parsePrice,
  type Shape,
} from "@sabika/protocol";

/** An argument that is missing, has another form, or is unknown to the act. */
export class ArgumentError extends Error {
  override name = "ArgumentError";
}

/** An argument of an act: how it is read out of JSON, and its schema in the OpenAPI document. */
export interface Argument<T> {
  readonly shape: Shape;
  /** Returns undefined for a value of another form. */
  readonly read: (value: unknown) => T | undefined;
  /** Its unit and decimals, if it is a number that people write. */
  readonly quantity?: Quantity;
  /** Returns what the act refuses in a value of the right form, if that takes no database to tell. */
  mistakeIn?(value: T): ArgumentMistake | undefined;
}

/** What can be wrong with an argument of the right form; a console has words for each. */
export type ArgumentMistakeCode =
  | "above_zero"
  | "out_of_range"
  | "wrong_client_id"
  | "wrong_name"
  | "wrong_person"
  | "wrong_iban"
  | "wrong_cidr"
  | "wrong_url"
  | "wrong_request"
  | "private_key"
  | "wrong_day"
  | "wrong_reference"
  | "wrong_reason"
  | "wrong_serial"
  | "wrong_place"
  | "wrong_document"
  | "wrong_telephone"
  | "wrong_mail"
  | "wrong_sha256"
  | "wrong_bar"
  | "wrong_pool"
  | "twice"
  | "wrong_recipient";

/**
 * What an act refuses in an argument; `least` and `most` are the bounds of `out_of_range`, inclusive, `which` is the
 * part of a list that is wrong.
 */
export interface ArgumentMistake {
  readonly code: ArgumentMistakeCode;
  readonly least?: string;
  readonly most?: string;
  readonly which?: string;
}

/** A number as people write it: its unit, and how many decimals it may have. */
export interface Quantity {
  readonly unit: "SAR" | "g" | "SAR/g" | "%" | "‰" | "count";
  readonly decimals: number;
}

interface Optional<T> extends Argument<T> {
  readonly isOptional: true;
}

/** An argument of an act, of any type. */
export type AnyArgument = Argument<unknown> | Optional<unknown>;

/** The arguments of an act by name. */
export type Arguments = Readonly<Record<string, AnyArgument>>;

/** Arguments as an act receives them, read; undefined for what was left out. */
export type ReadArguments<F extends Arguments> =
  & { [N in keyof F as F[N] extends Optional<unknown> ? never : N]: ValueOf<F[N]> }
  & { [N in keyof F as F[N] extends Optional<unknown> ? N : never]: ValueOf<F[N]> | undefined };

type ValueOf<A> = A extends Argument<infer T> ? T : never;

/** Arguments as callers write them: JSON, amounts as texts. */
export type JsonArguments<F extends Arguments> =
  & { readonly [N in keyof F as F[N] extends Optional<unknown> ? never : N]: JsonOf<ValueOf<F[N]>> }
  & {
    readonly [N in keyof F as F[N] extends Optional<unknown> ? N : never]?:
      | JsonOf<ValueOf<F[N]>>
      | undefined;
  };

type JsonOf<T> = T extends bigint ? string : T;

/** Makes an argument optional. */
export const optional = <T>(argument: Argument<T>): Optional<T> => ({
  ...argument,
  isOptional: true,
});

/** Any text. */
export const text: Argument<string> = {
  shape: { type: "string" },
  read: (value) => typeof value === "string" ? value : undefined,
};

/** True or false. */
export const flag: Argument<boolean> = {
  shape: { type: "boolean" },
  read: (value) => typeof value === "boolean" ? value : undefined,
};

/** A whole number that is not negative. */
export const whole: Argument<number> = {
  shape: { type: "integer", minimum: 0 },
  quantity: { unit: "count", decimals: 0 },
  read: (value) =>
    Number.isSafeInteger(value) && value as number >= 0 ? value as number : undefined,
};

/** A list of texts. */
export const texts: Argument<readonly string[]> = {
  shape: { type: "array", items: text.shape },
  read: (value) =>
    Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined,
};

/** An object whose members are texts or numbers. */
export const members: Argument<Readonly<Record<string, string | number>>> = {
  shape: { type: "object", additionalProperties: { type: ["string", "number"] } },
  read: (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) &&
      Object.values(value).every((member) => /^(?:string|number)$/.test(typeof member))
      ? value as Record<string, string | number>
      : undefined,
};

/** One text of a closed list. */
export const oneOf = <T extends string>(values: readonly T[]): Argument<T> => ({
  shape: { type: "string", enum: values },
  read: (value) => values.find((known) => known === value),
});

/** Any texts of a closed list. */
export const someOf = <T extends string>(values: readonly T[]): Argument<readonly T[]> => ({
  shape: { type: "array", items: { type: "string", enum: values } },
  read: (value) =>
    texts.read(value)?.every((item) => (values as readonly string[]).includes(item))
      ? value as readonly T[]
      : undefined,
});

const amount = (
  description: string,
  quantity: Quantity,
  parse: (text: string) => { ok: true; value: bigint } | { ok: false },
): Argument<bigint> => ({
  shape: { type: "string", format: "decimal", description },
  quantity,
  read(value) {
    const parsed = typeof value === "string" ? parse(value) : undefined;
    return parsed?.ok ? parsed.value : undefined;
  },
});

/** An amount in SAR as text, read as halalas. */
export const riyals = amount(
  "SAR, at most 2 decimals.",
  { unit: "SAR", decimals: 2 },
  parseHalalas,
);
/** A quantity in grams as text, read as micrograms. */
export const grams = amount(
  "Grams, at most 4 decimals.",
  { unit: "g", decimals: 4 },
  parseMicrograms,
);
/** A price in SAR per gram as text, read as ten-thousandths of a riyal. */
export const price = amount(
  "SAR a gram, at most 4 decimals.",
  { unit: "SAR/g", decimals: 4 },
  parsePrice,
);
/** A percentage as text, read as parts per million. */
export const percent = amount(
  "Percent, at most 4 decimals.",
  { unit: "%", decimals: 4 },
  (text) => parseDecimal(text, 4, 4),
);

/** A fineness in parts per thousand as text, such as `999.9`, read as ten-thousandths. */
export const fineness = amount(
  "Parts in a thousand, at most 1 decimal.",
  { unit: "‰", decimals: 1 },
  (text) => parseDecimal(text, 1, 1),
);

/** Returns the schema of an act's arguments together, for the OpenAPI document. */
export function shapeOf(parameters: Arguments): Shape {
  const entries = Object.entries(parameters);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, { shape }]) => [name, shape])),
    required: entries.filter(([, argument]) => !("isOptional" in argument)).map(([name]) => name),
    additionalProperties: false,
  };
}

/**
 * Reads the arguments of an act.
 *
 * @throws {ArgumentError} when one is missing, has another form or is unknown; the message names it
 */
export function readArguments<F extends Arguments>(
  parameters: F,
  values: Readonly<Record<string, unknown>>,
): ReadArguments<F> {
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(parameters, name));
  if (unknown !== undefined) throw new ArgumentError(`the act has no argument "${unknown}"`);
  const entries = Object.entries(parameters).map(([name, argument]) => {
    const value = values[name];
    if ("isOptional" in argument && value === undefined) return [name, undefined];
    const found = argument.read(value);
    if (found === undefined) throw new ArgumentError(`the argument "${name}" is missing or wrong`);
    return [name, found];
  });
  return Object.fromEntries(entries) as ReadArguments<F>;
}
