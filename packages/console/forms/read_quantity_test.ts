import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { Quantity } from "@sabika/office/acts";
import { parseDecimal, parseHalalas, parseMicrograms, parsePrice } from "@sabika/protocol";
import fc from "fast-check";
import { grams, percent, price, riyals } from "../format.ts";
import { LANGUAGES, MESSAGES } from "../languages/languages.ts";
import { readQuantity } from "./read_quantity.ts";

const SAR: Quantity = { unit: "SAR", decimals: 2 };
const GRAMS: Quantity = { unit: "g", decimals: 4 };
const PRICE: Quantity = { unit: "SAR/g", decimals: 4 };
const PERCENT: Quantity = { unit: "%", decimals: 4 };
const COUNT: Quantity = { unit: "count", decimals: 0 };

test("an amount is read as people write it", () => {
  const cases = [
    [SAR, "250000", "250000"],
    [SAR, " 250,000 ", "250000"],
    [SAR, "250 000", "250000"],
    [SAR, "250\u00a0000", "250000"],
    [SAR, "250\u202f000.50", "250000.5"],
    [SAR, "250’000", "250000"],
    [SAR, "250'000", "250000"],
    [SAR, "٢٥٠٠٠٠", "250000"],
    [SAR, "٢٥٠٬٠٠٠٫٥٠", "250000.5"],
    [SAR, "۲۵۰۰۰۰", "250000"],
    [SAR, "\u200f٢٥٠،٠٠٠\u200e", "250000"],
    [SAR, "1,234,567.05", "1234567.05"],
    [SAR, "250,000 SAR", "250000"],
    [SAR, "sar 12.5", "12.5"],
    [SAR, "٢٥٠ ر.س", "250"],
    [SAR, "ر.س. 7", "7"],
    [SAR, "1000.", "1000"],
    [SAR, ".5", "0.5"],
    [SAR, "1,000", "1000"],
    [SAR, "−5.10", "-5.1"],
    [GRAMS, "1.000", "1"],
    [GRAMS, "12 kg", "12000"],
    [GRAMS, "12.5g", "12.5"],
    [GRAMS, "0.0125 KG", "12.5"],
    [GRAMS, "١٢ كغ", "12000"],
    [GRAMS, "12.4413807 kg", "12441.3807"],
    [GRAMS, "١٬٢٣٤٫٥ غ", "1234.5"],
    [PRICE, "412.3456 SAR/g", "412.3456"],
    [PRICE, "412.3456 ر.س/غ", "412.3456"],
    [PERCENT, "0.25 %", "0.25"],
    [PERCENT, "٢٪", "2"],
    [COUNT, "2,592,000", "2592000"],
    [COUNT, "٣", "3"],
  ] as const;
  for (const [quantity, text, expected] of cases) {
    assertEquals(readQuantity(text, quantity), { ok: true, value: expected }, text);
  }
});

test("what is no number, of another unit, too precise or could be meant in two ways is refused", () => {
  const cases = [
    [SAR, "1.000,50", "ambiguous"],
    [SAR, "1,5", "ambiguous"],
    [SAR, "1٬5", "ambiguous"],
    [SAR, "1.000.000", "ambiguous"],
    [SAR, "0,500", "ambiguous"],
    [SAR, "1,0000", "ambiguous"],
    [SAR, "1,000 000", "ambiguous"],
    [SAR, "12,34,567", "ambiguous"],
    [SAR, "1 2", "ambiguous"],
    [SAR, "1,000,", "ambiguous"],
    [SAR, "250.000", "too_precise"],
    [SAR, "0.001", "too_precise"],
    [SAR, "1234567890123456", "too_precise"],
    [GRAMS, "0.00000001 kg", "too_precise"],
    [SAR, "", "no_number"],
    [SAR, "lots", "no_number"],
    [SAR, "1e5", "no_number"],
    [SAR, "0x10", "no_number"],
    [SAR, "5 or 6", "no_number"],
    [SAR, "007", "no_number"],
    [SAR, "+5", "no_number"],
    [SAR, "-0", "no_number"],
    [SAR, "5 USD", "wrong_unit"],
    [SAR, "5 g", "wrong_unit"],
    [SAR, "SAR 5 SAR", "wrong_unit"],
    [GRAMS, "5 oz", "wrong_unit"],
    [GRAMS, "5 t", "wrong_unit"],
    [COUNT, "5 %", "wrong_unit"],
    [COUNT, "1.5", "too_precise"],
  ] as const;
  for (const [quantity, text, code] of cases) {
    assertEquals(readQuantity(text, quantity), { ok: false, code }, text);
  }
});

test("what the console writes is read back as the same amount, in both languages and scripts", () => {
  const arabic = (text: string) =>
    text.replaceAll(/[0-9]/g, (digit) => String.fromCharCode(0x660 + Number(digit)))
      .replaceAll(",", "٬").replaceAll(".", "٫");
  const amounts = fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n });
  const written = LANGUAGES.flatMap((language) => {
    const { units } = MESSAGES[language];
    return [
      [SAR, (n: bigint) => [riyals(n), units.riyals], parseHalalas, 1n],
      [GRAMS, (n: bigint) => [grams(n), units.grams], parseMicrograms, 100n],
      [PRICE, (n: bigint) => [price(n), units.perGram], parsePrice, 1n],
      [
        PERCENT,
        (n: bigint) => percent(n).split(" "),
        (text: string) => parseDecimal(text, 4, 4),
        1n,
      ],
    ] as const;
  });
  for (const [quantity, write, parse, step] of written) {
    fc.assert(
      fc.property(amounts, (n) => {
        const amount = n * step;
        const [figure = "", unit = ""] = write(amount);
        for (const text of [figure, `${figure} ${unit}`, `${arabic(figure)} ${unit}`]) {
          const read = readQuantity(text, quantity);
          assertEquals(read.ok && parse(read.value), { ok: true, value: amount }, text);
        }
      }),
      { numRuns: 60 },
    );
  }
});
