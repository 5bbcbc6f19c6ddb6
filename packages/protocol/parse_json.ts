import { type JsonArray, JsonNumber, type JsonObject, type JsonValue } from "./json.ts";
import { JSON_MAX_DEPTH } from "./limits.ts";

/** Thrown for a text that is not JSON of this contract. `message` says why and where, without quoting it. */
export class JsonSyntaxError extends SyntaxError {
  /** Offset in UTF-16 units. */
  readonly position: number;
  /** Makes the error; `position` is the offset in UTF-16 units. */
  constructor(reason: string, position: number) {
    super(`${reason} at position ${position}`);
    this.name = "JsonSyntaxError";
    this.position = position;
  }
}

/**
 * Reads JSON (RFC 8259) more strictly than `JSON.parse`: it keeps the text of numbers and refuses every
 * duplicate member, also an equal one, more than 32 levels, lone surrogates and a BOM (Decision D5).
 *
 * @throws {JsonSyntaxError} with the position of the error
 */
export function parseJson(text: string): JsonValue {
  return new Reader(text).readText();
}

// Sticky, so each only matches at the position of the reader.
const BLANKS = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// deno-lint-ignore no-control-regex
const PLAIN = /[^"\\\u0000-\u001f\ud800-\udfff]*/y;
const HEX4 = /[0-9a-fA-F]{4}/y;

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readText(): JsonValue {
    const value = this.#readValue();
    this.#skipBlanks();
    if (this.#at < this.#text.length) this.#fail("unexpected text after the value");
    return value;
  }

  #readValue(): JsonValue {
    this.#skipBlanks();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#nested(() => this.#readObject());
      case "[":
        return this.#nested(() => this.#readArray());
      case '"':
        return this.#readString();
      case "t":
        return this.#readWord("true", true);
      case "f":
        return this.#readWord("false", false);
      case "n":
        return this.#readWord("null", null);
      case undefined:
        return this.#fail("the text ends where a value should stand");
      default:
        return new JsonNumber(this.#match(NUMBER) || this.#fail("not a JSON value"));
    }
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > JSON_MAX_DEPTH) this.#fail(`more than ${JSON_MAX_DEPTH} levels`);
    this.#at++;
    const value = read();
    this.#depth--;
    return value;
  }

  #readObject(): JsonObject {
    const members = new Map<string, JsonValue>();
    if (this.#skip("}")) return members;
    do {
      this.#skipBlanks();
      if (this.#text[this.#at] !== '"') this.#fail("a member's name should stand here");
      const start = this.#at;
      const name = this.#readString();
      if (members.has(name)) {
        this.#at = start;
        this.#fail("a member with this name came before");
      }
      if (!this.#skip(":")) this.#fail("a colon should stand here");
      members.set(name, this.#readValue());
    } while (this.#skip(","));
    if (!this.#skip("}")) this.#fail("a comma or a closing brace should stand here");
    return members;
  }

  #readArray(): JsonArray {
    const items: JsonValue[] = [];
    if (this.#skip("]")) return items;
    do items.push(this.#readValue()); while (this.#skip(","));
    if (!this.#skip("]")) this.#fail("a comma or a closing bracket should stand here");
    return items;
  }

  #readString(): string {
    this.#at++;
    let value = "";
    while (true) {
      value += this.#match(PLAIN);
      const letter = this.#text[this.#at];
      if (letter === '"') {
        this.#at++;
        return value;
      }
      if (letter === undefined) this.#fail("the text ends inside a string");
      value += letter === "\\" ? this.#readEscape() : this.#readPair();
    }
  }

  /** Reads a character beyond the basic plane: two surrogates in their order. */
  #readPair(): string {
    const pair = this.#text.slice(this.#at, this.#at + 2);
    if (pair < "\ud800") this.#fail("a control character stands in a string");
    if (!isPair(pair)) this.#fail("a lone surrogate stands in a string");
    this.#at += 2;
    return pair;
  }

  #readEscape(): string {
    const letter = this.#text[this.#at + 1] ?? "";
    if (letter !== "u") {
      const escaped = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
      if (escaped === undefined) this.#fail("there is no such escape");
      this.#at += 2;
      return escaped;
    }
    const unit = this.#readUnit();
    if (unit < "\ud800" || unit > "\udfff") return unit;
    const pair = this.#text[this.#at] === "\\" && this.#text[this.#at + 1] === "u"
      ? unit + this.#readUnit()
      : unit;
    return isPair(pair) ? pair : this.#fail("a lone surrogate stands in a string");
  }

  #readUnit(): string {
    this.#at += 2;
    const digits = this.#match(HEX4) || this.#fail("four hexadecimal digits should stand here");
    return String.fromCharCode(parseInt(digits, 16));
  }

  #readWord<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail("not a JSON value");
    this.#at += word.length;
    return value;
  }

  #skipBlanks(): void {
    this.#match(BLANKS);
  }

  /** Skips blanks and then `sign`, if it follows; returns whether it did. */
  #skip(sign: string): boolean {
    this.#skipBlanks();
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [match = ""] = pattern.exec(this.#text) ?? [];
    this.#at += match.length;
    return match;
  }

  #fail(reason: string): never {
    throw new JsonSyntaxError(reason, this.#at);
  }
}

function isPair(text: string): boolean {
  return text.length === 2 && text[0]! >= "\ud800" && text[0]! <= "\udbff" &&
    text[1]! >= "\udc00" && text[1]! <= "\udfff";
}
