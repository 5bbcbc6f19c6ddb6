import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { anyText } from "../../test/support/any_text.ts";
import {
  decodeHex,
  decodeUtf8,
  encodeHex,
  encodeUtf8,
  equalInConstantTime,
  isIdempotencyKey,
  jsonString,
  jsonStringOrNull,
} from "./mod.ts";

test("decodeHex() reads what encodeHex() writes, in either case", () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    assertEquals(decodeHex(encodeHex(bytes)), new Uint8Array(bytes));
    assertEquals(decodeHex(encodeHex(bytes).toUpperCase()), new Uint8Array(bytes));
  }));
});

test("decodeHex() refuses odd lengths and other letters", () => {
  for (const text of ["a", "0g", "0x", " 0a", "0a\n", "0a:0b"]) {
    assertEquals(decodeHex(text), undefined);
  }
});

test("text is the same after encoding and decoding as UTF-8", () => {
  fc.assert(fc.property(anyText, (text) => {
    assertEquals(decodeUtf8(encodeUtf8(text)), text);
  }));
});

test("equalInConstantTime() agrees with plain equality", () => {
  const bytes = fc.uint8Array({ maxLength: 4, max: 2 });
  fc.assert(fc.property(bytes, bytes, (a, b) => {
    assertEquals(equalInConstantTime(a, b), encodeHex(a) === encodeHex(b));
  }));
  assert(!equalInConstantTime(Uint8Array.of(1), Uint8Array.of(1, 0)));
  assert(!equalInConstantTime(Uint8Array.of(1, 0), Uint8Array.of(1)));
});

test("jsonString() writes what JSON.parse reads back", () => {
  fc.assert(fc.property(anyText, (text) => {
    assertEquals(JSON.parse(jsonString(text)), text);
  }));
  assertEquals(jsonString('a"\\\n\u0000\u2028\ud800'), JSON.stringify('a"\\\n\u0000\u2028\ud800'));
  assertEquals([jsonStringOrNull(null), jsonStringOrNull("a")], ["null", '"a"']);
});

// F36 of the fault catalogue.
for (const key of ["k", "!", "~", '"quoted"', "a,b", "k".repeat(255)]) {
  test(`isIdempotencyKey() accepts ${key.slice(0, 20)}`, () => assert(isIdempotencyKey(key)));
}
const NO_KEYS = [
  "",
  " ",
  "a b",
  "a ",
  " a",
  "a\tb",
  "a\n",
  "a\u0000",
  "caf\u00e9",
  "\u{1f947}",
  "\u007f",
  "k".repeat(256),
];
for (const key of NO_KEYS) {
  test(`isIdempotencyKey() refuses ${JSON.stringify(key.slice(0, 20))}`, () => {
    assert(!isIdempotencyKey(key));
  });
}
