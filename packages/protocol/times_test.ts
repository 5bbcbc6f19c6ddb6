import { test } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { each } from "../../test/support/each.ts";
import { formatTime, parseTime, parseUnixSeconds } from "./mod.ts";

test("formatTime() writes RFC 3339 in UTC with milliseconds", () => {
  assertEquals(formatTime(0), "1970-01-01T00:00:00.000Z");
  assertEquals(formatTime(1795167000123), "2026-11-20T09:30:00.123Z");
});

test("parseTime() reads what formatTime() writes", () => {
  const most = Date.UTC(9999, 11, 31);
  fc.assert(fc.property(fc.integer({ min: 0, max: most }), (epochMs) => {
    assertEquals(parseTime(formatTime(epochMs)), epochMs);
  }));
  assertEquals(parseTime("2026-11-20T09:30:00Z"), 1795167000000);
});

const REFUSED = each(`
  2026-11-20 2026-11-20T09:30:00 2026-11-20T09:30:00+03:00 2026-11-20t09:30:00z
  2026-11-20T09:30:00.1Z 2026-02-31T00:00:00Z 2026-02-31T00:00:00.000Z 2026-13-01T00:00:00Z
  2026-11-20T24:00:00Z 2026-11-20T09:60:00Z 2026-11-20T09:30:60Z 1795167000`)
  .concat("", "2026-11-20 09:30:00Z", "2026-11-20T09:30:00.000Z\n");
for (const text of REFUSED) {
  test(`parseTime() refuses ${JSON.stringify(text)}`, () =>
    assertEquals(parseTime(text), undefined));
}

// F34 of the fault catalogue.
for (const text of ["1", "1795167000", "99999999999"]) {
  test(`parseUnixSeconds() reads ${text}`, () =>
    assertEquals(parseUnixSeconds(text), Number(text)));
}
const NO_SECONDS = [
  "",
  "0",
  "1e9",
  " 1795167000",
  "1795167000\n",
  "9007199254740992",
  "0x6b",
  "\u0661",
];
for (const text of NO_SECONDS) {
  test(`parseUnixSeconds() refuses ${JSON.stringify(text)}`, () => {
    assertEquals(parseUnixSeconds(text), undefined);
  });
}
