import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  type AmountError,
  type AmountResult,
  decimal,
  formatHalalas,
  formatMicrograms,
  formatPrice,
  formatRate,
  parseHalalas,
  parseMicrograms,
  parsePrice,
  parseRate,
} from "./mod.ts";

const KINDS = [
  { name: "halalas", parse: parseHalalas, format: formatHalalas, decimals: 2, scale: 2 },
  { name: "micrograms", parse: parseMicrograms, format: formatMicrograms, decimals: 4, scale: 6 },
  { name: "prices", parse: parsePrice, format: formatPrice, decimals: 4, scale: 4 },
  { name: "rates", parse: parseRate, format: formatRate, decimals: 6, scale: 6 },
];

const READ: readonly (readonly [(text: string) => AmountResult, string, bigint])[] = [
  [parseHalalas, "0.01", 1n],
  [parseHalalas, "1", 100n],
  [parseHalalas, "1.5", 150n],
  [parseHalalas, "1.50", 150n],
  [parseHalalas, "10000000.00", 1_000_000_000n],
  [parseHalalas, "0.29", 29n],
  [parseHalalas, "4.35", 435n],
  [parseHalalas, "9999999999999.99", 999_999_999_999_999n],
  [parseHalalas, "-1.25", -125n],
  [parseMicrograms, "0.0001", 100n],
  [parseMicrograms, "2", 2_000_000n],
  [parseMicrograms, "2.00", 2_000_000n],
  [parseMicrograms, "10000", 10_000_000_000n],
  [parsePrice, "412.3456", 4_123_456n],
  [parseRate, "0.15", 150_000n],
];
for (const [parse, text, value] of READ) {
  test(`${parse.name}() reads ${text} as ${value}`, () => {
    assertEquals(parse(text), { ok: true, value });
  });
}

// F67 of the fault catalogue, as far as a number's text is concerned.
const REFUSED: readonly (readonly [string, AmountError])[] = [
  ["1.001", "too_precise"],
  ["1.000", "too_precise"],
  ["1.0000000001", "too_precise"],
  ["0.30000000000000004", "too_precise"],
  ["12345678901234567890", "too_precise"],
  ["1234567890123456", "too_precise"],
  ["1" + "0".repeat(30), "too_precise"],
  ["10000000000000.00", "too_precise"],
  ["1e2", "wrong_form"],
  ["1E2", "wrong_form"],
  ["1e400", "wrong_form"],
  ["1E-7", "wrong_form"],
  ["-0", "wrong_form"],
  ["-0.00", "wrong_form"],
  ["010", "wrong_form"],
  ["00", "wrong_form"],
  [".5", "wrong_form"],
  ["5.", "wrong_form"],
  ["+1", "wrong_form"],
  ["--1", "wrong_form"],
  ["1,5", "wrong_form"],
  ["1_000", "wrong_form"],
  [" 1", "wrong_form"],
  ["1\n", "wrong_form"],
  ["0x10", "wrong_form"],
  ["NaN", "wrong_form"],
  ["Infinity", "wrong_form"],
  ["\u0661", "wrong_form"],
  ["1n", "wrong_form"],
  ["", "wrong_form"],
];
for (const [text, code] of REFUSED) {
  test(`parseHalalas() refuses ${JSON.stringify(text)} as ${code}`, () => {
    assertEquals(parseHalalas(text), { ok: false, code });
  });
}

for (const { name, parse, format, decimals, scale } of KINDS) {
  test(`${name} written and read again are the same, and have no idle zeros`, () => {
    const step = 10n ** BigInt(scale - decimals);
    const most = 10n ** 15n - 1n;
    fc.assert(fc.property(fc.bigInt({ min: -most, max: most }), (units) => {
      const value = units * step;
      const text = format(value);
      assertEquals(parse(text), { ok: true, value });
      assert(!/\.[0-9]*0$|\.$|^-?0[0-9]/.test(text), text);
    }));
  });

  test(`${name} as text mean what integer arithmetic says`, () => {
    const digits = fc.stringMatching(/^(0|[1-9][0-9]{0,7})(\.[0-9]{1,7})?$/);
    fc.assert(fc.property(digits, (text) => {
      const [whole = "", fraction = ""] = text.split(".");
      const amount = parse(text);
      assertEquals(amount.ok, fraction.length <= decimals);
      if (amount.ok) {
        const value = BigInt(whole) * 10n ** BigInt(scale) +
          BigInt(fraction.padEnd(scale, "0") || "0");
        assertEquals(amount.value, value);
      }
    }));
  });

  test(`${name} survive a reader that uses doubles`, () => {
    const most = 10n ** 15n - 1n;
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: most }), (units) => {
      const text = format(units * 10n ** BigInt(scale - decimals));
      // Doubles below 10⁻⁶ are printed with an exponent; no amount is that small.
      assertEquals(String(JSON.parse(text)), text);
    }));
  });
}

test("amounts are written as plain decimal numbers", () => {
  assertEquals(
    [0n, 1n, 10n, 100n, 12_050n, -5n, 10n ** 20n].map(formatHalalas),
    ["0", "0.01", "0.1", "1", "120.5", "-0.05", "1000000000000000000"],
  );
  assertEquals(formatMicrograms(1_500_000n), "1.5");
  assertEquals(formatMicrograms(1n), "0.000001");
  assertEquals(formatRate(150_000n), "0.15");
});

test("decimal() marks the text of a number", () => {
  assertEquals(decimal("1.5"), { decimal: "1.5" });
});
