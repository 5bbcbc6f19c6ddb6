import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { encodeHex, sha256 } from "./mod.ts";

const utf8 = new TextEncoder();

async function byWebCrypto(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return encodeHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

test("sha256() gives the examples of FIPS 180-4", () => {
  const cases = [
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
  ] as const;
  for (const [text, digest] of cases) assertEquals(encodeHex(sha256(utf8.encode(text))), digest);
});

test("sha256() agrees with Web Crypto at every length around the blocks", async () => {
  for (let length = 0; length <= 260; length++) {
    const bytes = crypto.getRandomValues(new Uint8Array(length));
    assertEquals(encodeHex(sha256(bytes)), await byWebCrypto(bytes), `length ${length}`);
  }
});

test("sha256() agrees with Web Crypto on large inputs and on parts of a buffer", async () => {
  for (const length of [4096, 65_536, 300_001]) {
    const bytes = new Uint8Array(length).map((_, index) => (index * 31 + length) & 0xff);
    assertEquals(encodeHex(sha256(bytes)), await byWebCrypto(bytes));
    const part = bytes.subarray(7, 107);
    assertEquals(encodeHex(sha256(part)), await byWebCrypto(part.slice()));
  }
});

test("sha256() leaves what it hashed before alone", () => {
  const first = sha256(utf8.encode("first"));
  const kept = encodeHex(first);
  sha256(utf8.encode("second"));
  assertEquals(encodeHex(first), kept);
});
