import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { rawSignatureFromDer } from "./mod.ts";
import { rawSignature } from "../../test/support/test_keys.ts";

test("rawSignatureFromDer() pads short numbers and drops the zero before high ones", () => {
  const der = Uint8Array.of(0x30, 7, 0x02, 1, 5, 0x02, 2, 0, 0x80);
  assertEquals(rawSignatureFromDer(der), rawSignature(5n, 0x80n));
});

const REFUSED: Record<string, Uint8Array> = {
  "nothing": new Uint8Array(),
  "another tag": Uint8Array.of(0x31, 6, 0x02, 1, 5, 0x02, 1, 5),
  "one number": Uint8Array.of(0x30, 3, 0x02, 1, 5),
  "three numbers": Uint8Array.of(0x30, 9, 0x02, 1, 5, 0x02, 1, 5, 0x02, 1, 5),
  "bytes after it": Uint8Array.of(0x30, 6, 0x02, 1, 5, 0x02, 1, 5, 0),
  "a length beyond the end": Uint8Array.of(0x30, 7, 0x02, 1, 5, 0x02, 1, 5),
  "a number that is too long": Uint8Array.of(0x30, 38, 0x02, 33, ...new Array(33).fill(1), 2, 1, 5),
  "something other than numbers": Uint8Array.of(0x30, 6, 0x04, 1, 5, 0x04, 1, 5),
  "a needlessly long form of a length": Uint8Array.of(0x30, 0x81, 6, 0x02, 1, 5, 0x02, 1, 5),
  "raw bytes": new Uint8Array(64).fill(7),
};
for (const [name, der] of Object.entries(REFUSED)) {
  test(`rawSignatureFromDer() refuses ${name}`, () => {
    assertEquals(rawSignatureFromDer(der), undefined);
  });
}
