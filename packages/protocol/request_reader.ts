import type { AmountResult } from "./amounts.ts";
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue } from "./json.ts";
import { CLIENT_REFERENCE_MAX_LENGTH } from "./limits.ts";
import type { FieldError, FieldErrorCode, Parsed } from "./refusal.ts";

const AMOUNT_MESSAGES = {
  wrong_form: "must be a plain decimal number, without exponent",
  too_precise: "has more decimals or digits than are allowed; nothing is rounded",
} as const;

// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Reads the members of a request's body and collects all that is wrong, so that a partner sees it
 * at once. Unknown members are refused (Decision D11). A member that is wrong reads as undefined.
 */
export class RequestReader {
  readonly #members: JsonObject;
  readonly #errors: FieldError[] = [];

  /** @param names all members that the request may have */
  constructor(value: JsonValue, names: readonly string[]) {
    this.#members = isJsonObject(value) ? value : new Map<string, JsonValue>();
    if (!isJsonObject(value)) this.#refuse("", "wrong_type", "must be an object");
    for (const name of this.#members.keys()) {
      if (!names.includes(name)) {
        this.#refuse(pointerTo(name), "unknown_member", "is not a member of this request");
      }
    }
  }

  /** A required string out of a closed list. */
  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.string(name);
    if (text === undefined) return undefined;
    const found = values.find((value) => value === text);
    if (found === undefined) {
      this.#refuse(pointerTo(name), "not_allowed", `must be one of: ${values.join(", ")}`);
    }
    return found;
  }

  /** A required string. */
  string(name: string): string | undefined {
    const value = this.#required(name);
    if (value === undefined || typeof value === "string") return value;
    this.#refuse(pointerTo(name), "wrong_type", "must be a string");
    return undefined;
  }

  /** A required number greater than zero, read from its source text. */
  positiveAmount(name: string, parse: (text: string) => AmountResult): bigint | undefined {
    const value = this.#required(name);
    if (value === undefined) return undefined;
    if (!(value instanceof JsonNumber)) {
      this.#refuse(pointerTo(name), "wrong_type", "must be a number");
      return undefined;
    }
    const amount = parse(value.text);
    if (!amount.ok) this.#refuse(pointerTo(name), amount.code, AMOUNT_MESSAGES[amount.code]);
    else if (amount.value > 0n) return amount.value;
    else this.#refuse(pointerTo(name), "not_positive", "must be greater than zero");
    return undefined;
  }

  /** The optional `client_reference`: 1 to 64 characters, none of them a control (Decision D11). */
  clientReference(): string | null {
    const name = "client_reference";
    const value = this.#members.get(name) ?? null;
    if (value === null) return null;
    if (typeof value !== "string") {
      this.#refuse(pointerTo(name), "wrong_type", "must be a string");
    } else if (value === "" || CONTROL.test(value)) {
      this.#refuse(pointerTo(name), "wrong_form", "must not be empty or hold control characters");
    } else if ([...value].length > CLIENT_REFERENCE_MAX_LENGTH) {
      const message = `must have at most ${CLIENT_REFERENCE_MAX_LENGTH} characters`;
      this.#refuse(pointerTo(name), "too_long", message);
    } else {
      return value;
    }
    return null;
  }

  /** The request, or all that is wrong; `value` is undefined when a member is. */
  result<T>(value: T | undefined): Parsed<T> {
    return value === undefined || this.#errors.length > 0
      ? { ok: false, errors: this.#errors }
      : { ok: true, value };
  }

  #required(name: string): JsonValue | undefined {
    const value = this.#members.get(name);
    // Against something that is no object one complaint is enough.
    const isFirst = this.#errors[0]?.pointer !== "";
    if (value === undefined && isFirst) this.#refuse(pointerTo(name), "required", "is required");
    return value;
  }

  #refuse(pointer: string, code: FieldErrorCode, message: string): void {
    this.#errors.push({ pointer, code, message });
  }
}

/** The JSON Pointer to a member of the top level (RFC 6901 §3). */
function pointerTo(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
