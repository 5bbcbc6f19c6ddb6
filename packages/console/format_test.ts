import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { csvLine } from "@sabika/terms";
import { grams, hour, moment, price, riyals } from "./format.ts";
import { fill } from "./languages/fill.ts";
import { duration, MESSAGES, preferredLanguage } from "./languages/languages.ts";

test("amounts are exact, with grouped digits and the sign in front", () => {
  assertEquals(riyals(123_456_789_01n), "123,456,789.01");
  assertEquals([riyals(0n), riyals(-5n), riyals(100_000n)], ["0.00", "−0.05", "1,000.00"]);
  assertEquals([grams(1_234_500_000n), grams(-1n)], ["1,234.5", "−0.000001"]);
  assertEquals([price(4_123_456n), price(40_000_000n)], ["412.3456", "4,000"]);
});

test("times are shown in Riyadh's time zone", () => {
  const ms = Date.parse("2026-11-20T21:30:05.999Z");
  assertEquals([moment(ms), hour(ms)], ["2026-11-21 00:30:05", "00:30"]);
});

test("lengths of time are in their largest unit, in both languages with the same digits", () => {
  assertEquals(duration("en", 59.9), "59 sec");
  assertEquals(duration("en", 7_300), "2 hr");
  assertEquals(duration("ar", 3 * 86_400).includes("3"), true);
  assertEquals(duration("en", -1), "0 sec");
});

test("the first supported language that is asked for is chosen", () => {
  const asked = ["ar", "fr, ar-SA;q=0.9, en", "en-GB,ar;q=0.1", "fr", "*", "arch, barn", undefined];
  assertEquals(asked.map(preferredLanguage), ["ar", "ar", "en", "en", "en", "en", "en"]);
});

test("a spreadsheet calculates nothing that a partner wrote", () => {
  assertEquals(csvLine(["=1+1", "-x", "@a", "plain", -5, null]), "'=1+1,'-x,'@a,plain,-5,\r\n");
  assertEquals(csvLine(['say "no"', "a,b", "a\r\nb"]), '"say ""no""","a,b","a\r\nb"\r\n');
});

test("both catalogues have texts of the same names, with the same places to fill", () => {
  const places = (texts: object): unknown =>
    Object.fromEntries(
      Object.entries(texts).map((
        [name, text],
      ) => [name, typeof text === "string" ? (text.match(/\{\w+\}/g) ?? []).sort() : places(text)]),
    );
  assertEquals(places(MESSAGES.ar), places(MESSAGES.en));
  assertEquals(fill(MESSAGES.en.ago, { time: "3 min" }), "3 min ago");
  assertThrows(() => fill(MESSAGES.en.ago, {}), Error, "{time}");
});
