import { type AmountResult, parseHalalas, parseMicrograms, parsePrice } from "./amounts.ts";
import { type Form, HALALAS, MICROGRAMS, PRICE_PER_GRAM } from "./form.ts";
import { JsonNumber, type JsonValue } from "./json.ts";
import { jsonString } from "./json_text.ts";
import { CLIENT_REFERENCE_MAX_LENGTH, OVERLAP_SECONDS_MAX, OVERLAP_SECONDS_MIN } from "./limits.ts";
import type { FieldErrorCode } from "./refusal.ts";
import type { Shape } from "./shape.ts";

/** The wire form of a member of a request; reading returns the value or what is wrong. */
export interface Field<T> {
  /** Its JSON Schema. */
  readonly shape: Shape;
  /** Writes the value as JSON text. */
  write(value: T): string;
  /** Reads a value. */
  read(value: JsonValue):
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly code: FieldErrorCode; readonly message: string };
}

/** Money above zero in halalas; riyals on the wire (Decision D3). */
export const MONEY: Field<bigint> = positive(HALALAS, parseHalalas);
/** Gold above zero in micrograms; grams on the wire (Decision D2). */
export const GOLD: Field<bigint> = positive(MICROGRAMS, parseMicrograms);
/** A price above zero in ten-thousandths of a riyal a gram; riyals on the wire (Decision D4). */
export const MID_PRICE: Field<bigint> = positive(PRICE_PER_GRAM, parsePrice);

const AMOUNT_MESSAGES = {
  wrong_form: "must be a plain decimal number, without exponent",
  too_precise: "has more decimals or digits than are allowed; nothing is rounded",
} as const;

function positive(form: Form<bigint>, parse: (text: string) => AmountResult): Field<bigint> {
  return {
    shape: { ...form.shape, exclusiveMinimum: 0 },
    write: (value) => form.write(value),
    read(value) {
      if (!(value instanceof JsonNumber)) return wrong("wrong_type", "must be a number");
      const amount = parse(value.text);
      if (!amount.ok) return wrong(amount.code, AMOUNT_MESSAGES[amount.code]);
      return amount.value > 0n ? amount : wrong("not_positive", "must be greater than zero");
    },
  };
}

/** The number of an event. */
export const SEQUENCE: Field<number> = {
  shape: { type: "integer", minimum: 1 },
  write: String,
  read(value) {
    if (!(value instanceof JsonNumber)) return wrong("wrong_type", "must be a number");
    return /^[1-9][0-9]{0,14}$/.test(value.text)
      ? { ok: true, value: Number(value.text) }
      : wrong("wrong_form", "must be the number of an event");
  },
};

/** How long an old credential stays valid beside its successor (Decision D120). */
export const OVERLAP_SECONDS: Field<number> = {
  shape: { type: "integer", minimum: OVERLAP_SECONDS_MIN, maximum: OVERLAP_SECONDS_MAX },
  write: String,
  read(value) {
    if (!(value instanceof JsonNumber)) return wrong("wrong_type", "must be a number");
    const seconds = Number(value.text);
    return Number.isInteger(seconds) && seconds >= OVERLAP_SECONDS_MIN &&
        seconds <= OVERLAP_SECONDS_MAX
      ? { ok: true, value: seconds }
      : wrong(
        "not_allowed",
        `must be a whole number from ${OVERLAP_SECONDS_MIN} to ${OVERLAP_SECONDS_MAX}`,
      );
  },
};

/** Any string. */
export const TEXT: Field<string> = {
  shape: { type: "string" },
  write: jsonString,
  read: (value) =>
    typeof value === "string" ? { ok: true, value } : wrong("wrong_type", "must be a string"),
};

/** Makes the field of a closed list of strings, none of which JSON must escape. */
export function choice<T extends string>(values: readonly T[]): Field<T> {
  return {
    shape: { type: "string", enum: values },
    write: (value) => `"${value}"`,
    read(value) {
      const text = TEXT.read(value);
      if (!text.ok) return text;
      const found = values.find((known) => known === text.value);
      return found === undefined
        ? wrong("not_allowed", `must be one of: ${values.join(", ")}`)
        : { ok: true, value: found };
    },
  };
}

// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;

/** A `client_reference`: 1 to 64 characters, none of them a control (Decision D11). */
export const CLIENT_REFERENCE: Field<string> = {
  shape: {
    type: "string",
    minLength: 1,
    maxLength: CLIENT_REFERENCE_MAX_LENGTH,
    pattern: "^[^\\u0000-\\u001f\\u007f]*$",
  },
  write: jsonString,
  read(value) {
    const text = TEXT.read(value);
    if (!text.ok) return text;
    if (text.value === "" || CONTROL.test(text.value)) {
      return wrong("wrong_form", "must not be empty or hold control characters");
    }
    return [...text.value].length > CLIENT_REFERENCE_MAX_LENGTH
      ? wrong("too_long", `must have at most ${CLIENT_REFERENCE_MAX_LENGTH} characters`)
      : text;
  },
};

/** The member's description in documents. */
export const CLIENT_REFERENCE_SAYS = "Your own reference; it comes back in answers and events.";

/** Makes the error of a member. */
function wrong<C extends FieldErrorCode>(code: C, message: string) {
  return { ok: false as const, code, message };
}
