import { Buffer } from "node:buffer";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from "./mod.ts";

const utf8 = new TextEncoder();

// RFC 4648 §10.
const VECTORS = [
  ["", ""],
  ["f", "Zg=="],
  ["fo", "Zm8="],
  ["foo", "Zm9v"],
  ["foob", "Zm9vYg=="],
  ["fooba", "Zm9vYmE="],
  ["foobar", "Zm9vYmFy"],
] as const;

for (const [text, base64] of VECTORS) {
  test(`base64 of "${text}" is RFC 4648's, with padding and in the URL's alphabet without`, () => {
    const unpadded = base64.replace(/=+$/, "");
    assertEquals(encodeBase64(utf8.encode(text)), base64);
    assertEquals(encodeBase64Url(utf8.encode(text)), unpadded);
    assertEquals(decodeBase64(base64), utf8.encode(text));
    assertEquals(decodeBase64Url(unpadded), utf8.encode(text));
  });
}

test("base64 and base64url agree with another implementation on any bytes", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
    assertEquals(encodeBase64(bytes), Buffer.from(bytes).toString("base64"));
    assertEquals(encodeBase64Url(bytes), Buffer.from(bytes).toString("base64url"));
    assertEquals(decodeBase64(encodeBase64(bytes)), new Uint8Array(bytes));
    assertEquals(decodeBase64Url(encodeBase64Url(bytes)), new Uint8Array(bytes));
  }));
});

test("decodeBase64Url() takes no text but the one that encodes to the same bytes", () => {
  const letters = fc.constantFrom(..."AQgwZz019-_+/= \n\u00e9\u4e00");
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 12 }), (text) => {
      const bytes = decodeBase64Url(text);
      if (bytes !== undefined) assertEquals(encodeBase64Url(bytes), text);
    }),
    { numRuns: 2000 },
  );
});

const REFUSED_URL_SAFE = {
  "padding": "Zg==",
  "one idle bit set": "Zh",
  "all idle bits set": "Zv",
  "idle bits set in three letters": "Zm9",
  "a lone letter": "Z",
  "five letters": "Zm9vY",
  "the other alphabet's plus": "Zm+v",
  "the other alphabet's slash": "Zm/v",
  "a blank": "Zm 9",
  "a line feed at the end": "Zm9v\n",
  "a letter beyond Latin-1": "Zm9\u0176",
  "a letter of Latin-1": "Zm9\u00f6",
};
for (const [name, text] of Object.entries(REFUSED_URL_SAFE)) {
  test(`decodeBase64Url() refuses ${name}`, () => {
    assertEquals(decodeBase64Url(text), undefined);
  });
}

const REFUSED_STANDARD = {
  "missing padding": "Zg",
  "short padding": "Zg=",
  "padding alone": "====",
  "padding in the middle": "Zg==Zm9v",
  "idle bits set": "Zh==",
  "the URL's alphabet": "Zm-_",
  "a line break": "Zm9v\nZm9v",
};
for (const [name, text] of Object.entries(REFUSED_STANDARD)) {
  test(`decodeBase64() refuses ${name}`, () => {
    assertEquals(decodeBase64(text), undefined);
  });
}
