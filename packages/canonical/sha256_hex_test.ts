import { createHash } from "node:crypto";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { encodeHex, sha256Hex } from "./mod.ts";

const utf8 = new TextEncoder();

// FIPS 180-4's examples.
const VECTORS: readonly (readonly [string, string])[] = [
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ],
];

for (const [text, hex] of VECTORS) {
  test(`sha256Hex() of ${JSON.stringify(text.slice(0, 12))} is the hash in the standard`, async () => {
    assertEquals(await sha256Hex(utf8.encode(text)), hex);
  });
}

test("sha256Hex() agrees with another implementation", async () => {
  await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
    assertEquals(await sha256Hex(bytes), createHash("sha256").update(bytes).digest("hex"));
  }));
});

test("sha256Hex() hashes only the bytes of a view, not its whole buffer", async () => {
  const bytes = utf8.encode("xxabcxx");
  assertEquals(await sha256Hex(bytes.subarray(2, 5)), VECTORS[1]![1]);
});

test("encodeHex() writes two lower-case digits a byte", () => {
  assertEquals(encodeHex(Uint8Array.of(0, 1, 15, 16, 171, 255)), "00010f10abff");
  assertEquals(encodeHex(new Uint8Array()), "");
});
