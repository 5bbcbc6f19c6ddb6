import { test } from "node:test";
import { assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { anyCharacter } from "../../test/support/any_text.ts";
import { canonicalJson, parseJson } from "./mod.ts";

const canonical = (text: string): string => canonicalJson(parseJson(text));

// F37 of the fault catalogue.
const SAME: readonly (readonly string[])[] = [
  ['{"a":1,"b":2}', '{"b":2,"a":1}', '{ "b" : 2.0,\n"a":10e-1 }'],
  ["1", "1.0", "1.00", "1e0", "10e-1", "0.1E1", "1E+0"],
  ["0", "0.0", "-0", "0e9", "-0.000"],
  ["1500", "15e2", "1.5e3", "1500.00"],
  ["0.05", "5e-2", "0.0500", "500e-4"],
  ["-12.5", "-125e-1"],
  ['"A\\/"', '"\\u0041/"'],
  ["[ ]", "[]"],
];
for (const texts of SAME) {
  test(`${texts.join(" and ")} mean the same`, () => {
    assertEquals(new Set(texts.map(canonical)).size, 1);
  });
}

const DIFFERENT: readonly (readonly [string, string])[] = [
  ['{"a":1}', '{"a":"1"}'],
  ['{"a":1}', '{"a":1,"b":null}'],
  ["[1,2]", "[2,1]"],
  ["[1,2]", "[12]"],
  ["1", "10"],
  ["1", "-1"],
  ["0.1", "0.01"],
  ["1e400", "1e401"],
  ["12345678901234567890", "12345678901234567891"],
  ["0.1", "0.10000000000000001"],
  ['"\u00e9"', '"e\u0301"'],
  ["null", '"null"'],
  ["true", "false"],
];
for (const [a, b] of DIFFERENT) {
  test(`${a} and ${b} are different`, () => assertNotEquals(canonical(a), canonical(b)));
}

test("an integer without zeros at its end is written without an exponent", () => {
  assertEquals(canonical("7"), "7");
  assertEquals(canonical("7.0"), "7");
});

test("canonicalJson() writes JSON with the same meaning", () => {
  fc.assert(fc.property(fc.json({ maxDepth: 4 }), (text) => {
    const once = canonical(text.replace(/\\ud[0-9a-f]{3}/g, ""));
    assertEquals(canonical(once), once);
  }));
});

test("members are in the order of their code units, in whichever order they came", () => {
  // Locales order some of these otherwise, by case, number or accent, and hold others to be equal.
  const unit = fc.oneof(
    anyCharacter,
    fc.constantFrom(..."aBAb_210éeoøz\u0301\u00ad\u200b\uffe6😀"),
  );
  const names = fc.uniqueArray(fc.string({ unit, maxLength: 3 }), { minLength: 2, maxLength: 8 });
  const write = (names: readonly string[]): string =>
    `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(name)}`).join(",")}}`;
  fc.assert(fc.property(names, (list) => {
    assertEquals(canonical(write(list)), write(list.toSorted()));
  }));
});
