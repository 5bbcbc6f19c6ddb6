import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { each } from "../../test/support/each.ts";
import { decodeUtf8, JsonNumber, JsonSyntaxError, type JsonValue, parseJson } from "./mod.ts";
import { plainJson } from "./plain_json.ts";

test("parseJson() agrees with JSON.parse on whatever JSON.stringify writes", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom("", " ", "\n\t"), (text, blank) => {
      const spaced = blank + JSON.stringify(JSON.parse(text), null, blank || undefined) + blank;
      if (/\\ud[89a-f]/.test(spaced)) return; // a lone surrogate
      assertEquals(plainJson(parseJson(spaced)), JSON.parse(spaced));
    }),
  );
});

test("parseJson() refuses everything that JSON.parse refuses", () => {
  const letters = fc.constantFrom(..."{}[]\",:0123456789.eE+-truefalsnl \\u\n\u0001/*'");
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 14 }), (text) => {
      let value: JsonValue;
      try {
        value = parseJson(text);
      } catch (error) {
        assert(error instanceof JsonSyntaxError);
        return;
      }
      assertEquals(plainJson(value), JSON.parse(text));
    }),
    { numRuns: 5000 },
  );
});

test("parseJson() keeps the source text of numbers", () => {
  for (const text of ["1.50", "1e400", "-0", "1E-7", "12345678901234567890", "0.1"]) {
    assertEquals(parseJson(text), new JsonNumber(text));
  }
});

test("parseJson() reads every escape", () => {
  assertEquals(
    parseJson('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83E\\uDD47"'),
    '"\\/\b\f\n\r\t\u00e9\u{1f947}',
  );
  assertEquals(parseJson('"\u{1f947}\u0633\u007f\u2028"'), "\u{1f947}\u0633\u007f\u2028");
});

// F66 of the fault catalogue.
const DUPLICATES = each(`
  {"quote_id":"a","quote_id":"b"} {"gold_grams":1,"gold_grams":1} {"a":1,"b":2,"a":1}
  {"a":1,"\\u0061":1} {"":1,"":1} {"x":{"a":1,"a":1}} [{"a":1,"a":null}]
  {"__proto__":1,"__proto__":2}`);
for (const text of DUPLICATES) {
  test(`parseJson() refuses the duplicate member in ${text}`, () => {
    assertThrows(() => parseJson(text), JsonSyntaxError, "came before");
  });
}

test("parseJson() distinguishes names that only look alike, and accepts the name __proto__", () => {
  const json = '{"\u00e9":1,"e\u0301":2,"E":3,"e":4,"__proto__":{"x":true}}';
  assertEquals(plainJson(parseJson(json)), JSON.parse(json));
});

// Texts that JSON.parse accepts, or that random texts rarely contain; other refusals are tested above.
const REFUSED: Record<string, string> = {
  "a BOM": "\ufeff{}",
  "an escape named like a method": '"\\toString',
  "a lone high surrogate": '"\ud83e"',
  "swapped surrogates": '"\udd47\ud83e"',
  "a lone escaped surrogate": '"\\ud83e"',
  "an escaped surrogate before a letter": '"\\ud83ea"',
  "half a pair escaped": '"\\ud83e\udd47"',
};
for (const [name, text] of Object.entries(REFUSED)) {
  test(`parseJson() refuses ${name}`, () => {
    assertThrows(() => parseJson(text), JsonSyntaxError);
  });
}

test("parseJson() accepts 32 levels and refuses 33, without reading further levels", () => {
  parseJson("[".repeat(32) + "]".repeat(32));
  for (const depth of [33, 10_000, 1_000_000]) {
    assertThrows(() => parseJson("[".repeat(depth)), JsonSyntaxError, "32 levels");
    assertThrows(() => parseJson('{"a":'.repeat(depth)), JsonSyntaxError, "32 levels");
  }
});

test("parseJson() limits levels and not values", () => {
  assertEquals(plainJson(parseJson(`[${"[],".repeat(1000)}[]]`)), Array(1001).fill([]));
});

test("a syntax error names the position, and quotes nothing", () => {
  const error = assertThrows(() => parseJson('{"client_secret":"hush",}'), JsonSyntaxError);
  assertEquals(error.position, 24);
  assert(!/hush|client_secret/.test(error.message), error.message);
});

test("decodeUtf8() refuses what is not UTF-8 and keeps a BOM for the reader to refuse", () => {
  assertEquals(decodeUtf8(Uint8Array.of(0x7b, 0x7d)), "{}");
  assertEquals(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d)), "\ufeff{}");
  const broken = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]];
  for (const bytes of broken) assertEquals(decodeUtf8(Uint8Array.from(bytes)), undefined);
});
