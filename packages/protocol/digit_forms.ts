import { formatDecimal, parseDecimal } from "./amounts.ts";
import { type Form, STRING, unreadable } from "./form.ts";
import { JsonNumber } from "./json.ts";

// A pool may weigh more micrograms than a double holds exactly, and a reader in another language must not round
// them: they are strings (Decision D103).

/** A whole number from zero as a string of digits. */
export const DIGITS: Form<bigint> = {
  shape: { type: "string", pattern: "^(0|[1-9][0-9]{0,18})$" },
  write: (value) => `"${value}"`,
  read(value, at) {
    const text = STRING.read(value, at);
    return /^(?:0|[1-9][0-9]{0,18})$/.test(text)
      ? BigInt(text)
      : unreadable(at, "is not a string of digits");
  },
};

/** A number from 1, counted without gaps. */
export const COUNTING: Form<number> = {
  shape: { type: "integer", minimum: 1 },
  write: String,
  read(value, at) {
    const text = value instanceof JsonNumber ? value.text : "";
    return /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : unreadable(at, "is not such a number");
  },
};

/** A SHA-256 in lower-case hex. */
export const SHA256_HEX: Form<string> = {
  shape: { type: "string", pattern: "^[0-9a-f]{64}$" },
  write: (value) => `"${value}"`,
  read(value, at) {
    const text = STRING.read(value, at);
    return /^[0-9a-f]{64}$/.test(text) ? text : unreadable(at, "is not a SHA-256 in hex");
  },
};

/** Fineness in parts per ten thousand; parts per thousand as a string on the wire: `"999.9"` (Decision D94). */
export const FINENESS: Form<number> = {
  shape: { type: "string", pattern: "^(1000|[1-9][0-9]{0,2}(\\.[1-9])?|0\\.[1-9])$" },
  write: (value) => `"${formatDecimal(BigInt(value), 1)}"`,
  read(value, at) {
    const text = STRING.read(value, at);
    const parsed = parseDecimal(text, 1, 1);
    // 999.0 would be a second text for 999.
    if (!parsed.ok || formatDecimal(parsed.value, 1) !== text) unreadable(at, "is not a fineness");
    const isPossible = parsed.value > 0n && parsed.value <= 10_000n;
    return isPossible ? Number(parsed.value) : unreadable(at, "is not a fineness");
  },
};
