import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { random } from "../../test/support/random.ts";
import { formatId, isId, parseId, uuidV7 } from "./mod.ts";

const UUID = "01935a5c-7c00-7abc-8def-0123456789ab";

test("an id is its prefix and a UUID", () => {
  assertEquals(formatId("qt", UUID), `qt_${UUID}`);
  assertEquals(parseId("qt", `qt_${UUID}`), UUID);
  assert(isId("ord", `ord_${UUID}`));
});

const REFUSED = [
  "",
  UUID,
  `qt${UUID}`,
  `qt-${UUID}`,
  `ord_${UUID}`,
  `QT_${UUID}`,
  `qt_${UUID.toUpperCase()}`,
  `qt_${UUID} `,
  ` qt_${UUID}`,
  `qt_${UUID.replaceAll("-", "")}`,
  `qt_{${UUID.slice(2)}}`,
  `qt_${UUID.slice(0, -1)}g`,
  `qt_${UUID.slice(0, -1)}\n`,
  `qt_${UUID}${UUID}`,
  "qt_' or 1=1 --",
];
for (const text of REFUSED) {
  test(`parseId() refuses ${JSON.stringify(text)}`, () => {
    assertEquals(parseId("qt", text), undefined);
  });
}

test("uuidV7() begins with its time, and has version 7 and the variant of RFC 9562", () => {
  // RFC 9562 appendix A.6: Tuesday, February 22, 2022 2:22:22.00 PM GMT-05:00.
  const chance = Uint8Array.of(0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f);
  assertEquals(uuidV7(1645557742000, () => chance), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
});

test("uuidV7() makes ids that parse and sort by time", () => {
  const times = fc.integer({ min: 0, max: 2 ** 48 - 1 });
  fc.assert(fc.property(times, times, (a, b) => {
    const [first, second] = [uuidV7(a, random), uuidV7(b, random)];
    assertMatch(first, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assertEquals(parseId("evt", formatId("evt", first)), first);
    if (a < b) assert(first < second);
  }));
});

test("uuidV7() takes the whole milliseconds of a finer clock", () => {
  const still = () => new Uint8Array(10);
  assertEquals(uuidV7(1645557742000.75, still), uuidV7(1645557742000, still));
});
