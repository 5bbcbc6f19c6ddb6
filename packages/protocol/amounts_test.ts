import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
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

for (const { name, parse, format, decimals, scale } of KINDS) {
  test(`${name} are written without needless zeros and read back unchanged`, () => {
    const step = 10n ** BigInt(scale - decimals);
    const most = 10n ** 15n - 1n;
    fc.assert(fc.property(fc.bigInt({ min: -most, max: most }), (units) => {
      const value = units * step;
      const text = format(value);
      assertEquals(parse(text), { ok: true, value });
      assert(!/\.[0-9]*0$|\.$|^-?0[0-9]/.test(text), text);
    }));
  });

  test(`${name} as text equal the result of integer arithmetic`, () => {
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

test("decimal() marks a text as a number", () => {
  assertEquals(decimal("1.5"), { decimal: "1.5" });
});
