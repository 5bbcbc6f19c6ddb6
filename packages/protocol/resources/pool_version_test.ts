import { createHash } from "node:crypto";
import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import {
  poolFineMicrograms,
  type PoolVersion,
  poolVersionHash,
  readPoolVersion,
  WireFormatError,
  writePoolVersion,
} from "../mod.ts";

const bar = (refiner: string, serial: string) => ({
  serial,
  refiner,
  grossMicrograms: 12_441_390_001n,
  finenessTenThousandths: 9_999,
  fineMicrograms: 12_440_145_861n,
  vault: null,
  place: "Riyadh, A-1",
  documents: ["ab".repeat(32)],
});
const VERSION: PoolVersion = {
  pool: "main",
  number: 10,
  previous: "0".repeat(64),
  kind: "add",
  bars: [bar("B", "1"), bar("A", "\u{1f947}"), bar("A", "\uff21"), bar("A", "10"), bar("A", "9")],
};
const TEXT = writePoolVersion(VERSION);

test("writePoolVersion() writes canonical JSON, its bars sorted by code points", async () => {
  assertEquals(
    writePoolVersion({ ...VERSION, bars: [VERSION.bars[0]!] }),
    '{"bars":[{"documents":["' + "ab".repeat(32) + '"],"fine_ug":"12440145861",' +
      '"fineness":"999.9","gross_ug":"12441390001","place":"Riyadh, A-1","refiner":"B",' +
      '"serial":"1","vault":null}],"kind":"add","number":10,"pool":"main","previous":"' +
      "0".repeat(64) + '"}',
  );
  const serials = readPoolVersion(TEXT).bars.map(({ refiner, serial }) => refiner + serial);
  assertEquals(serials, ["A10", "A9", "A\uff21", "A\u{1f947}", "B1"]);
  assertEquals(await poolVersionHash(TEXT), createHash("sha256").update(TEXT).digest("hex"));
});

test("a version that is read is the one that was written, and weighs the sum of its bars", () => {
  assertEquals(writePoolVersion(readPoolVersion(TEXT)), TEXT);
  assertEquals(poolFineMicrograms(VERSION), 5n * 12_440_145_861n);
  assertEquals(poolFineMicrograms({ bars: [] }), 0n);
});

const REFUSED: Record<string, string> = {
  "a fine weight that does not follow": TEXT.replace("12440145861", "12440145862"),
  "bars out of order": TEXT.replace('"serial":"10"', '"serial":"95"'),
  "a bar that is there twice": TEXT.replace('"serial":"10"', '"serial":"9"'),
  "a first version with one before": TEXT.replace('"number":10', '"number":1'),
  "a later version with none before": TEXT.replace(`"${"0".repeat(64)}"`, "null"),
  "a number with an exponent": TEXT.replace('"number":10', '"number":1e1'),
  "micrograms as a number": TEXT.replace('"12441390001"', "12441390001"),
  "a fineness above a thousand": TEXT.replace('"999.9"', '"1000.1"'),
  "a fineness with a zero at its end": TEXT.replace('"999.9"', '"999.0"'),
  "a hash in upper case": TEXT.replace("ab".repeat(32), "AB".repeat(32)),
};
for (const [name, text] of Object.entries(REFUSED)) {
  test(`readPoolVersion() refuses ${name}`, () => {
    assertThrows(() => readPoolVersion(text), WireFormatError);
  });
}
