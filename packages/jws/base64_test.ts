import { Buffer } from "node:buffer";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from "./mod.ts";

test("base64 and base64url agree with another implementation on any bytes", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
    assertEquals(encodeBase64(bytes), Buffer.from(bytes).toString("base64"));
    assertEquals(encodeBase64Url(bytes), Buffer.from(bytes).toString("base64url"));
    assertEquals(decodeBase64(encodeBase64(bytes)), new Uint8Array(bytes));
    assertEquals(decodeBase64Url(encodeBase64Url(bytes)), new Uint8Array(bytes));
  }));
});

test("decodeBase64Url() accepts only the text to which the bytes encode", () => {
  const letters = fc.constantFrom(..."AQgwZz019-_+/= \n\u00e9\u4e00");
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 12 }), (text) => {
      const bytes = decodeBase64Url(text);
      if (bytes !== undefined) assertEquals(encodeBase64Url(bytes), text);
    }),
    { numRuns: 2000 },
  );
});

const REFUSED_STANDARD = {
  "missing padding": "Zg",
  "short padding": "Zg=",
  "padding alone": "====",
  "padding in the middle": "Zg==Zm9v",
  "unused bits that are set": "Zh==",
  "the URL-safe alphabet": "Zm-_",
  "a line break": "Zm9v\nZm9v",
};
for (const [name, text] of Object.entries(REFUSED_STANDARD)) {
  test(`decodeBase64() refuses ${name}`, () => {
    assertEquals(decodeBase64(text), undefined);
  });
}
