import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { anyText } from "../../test/support/any_text.ts";
import { canonicalString } from "./mod.ts";

const PARTS = {
  method: "POST",
  url: "https://api.example/v1/orders?a=1&b=%20",
  bodySha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  timestamp: "1795167000",
  nonce: "0123456789abcdef",
};

test("canonicalString() joins method, URL, hash, timestamp and nonce by line feeds", () => {
  assertEquals(
    canonicalString(PARTS),
    "POST\nhttps://api.example/v1/orders?a=1&b=%20\n" +
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n" +
      "1795167000\n0123456789abcdef",
  );
});

test("canonicalString() changes nothing in the URL", () => {
  for (
    const url of ["/v1/./orders", "/v1/%6Frders?B=2&a=1", "/v1/orders?", "HTTPS://API.example"]
  ) {
    assertEquals(canonicalString({ ...PARTS, url }).split("\n")[1], url);
  }
});

test("canonicalString() refuses a line feed in each part", () => {
  for (const name of Object.keys(PARTS)) {
    assertThrows(() => canonicalString({ ...PARTS, [name]: "a\nb" }), RangeError, "line feed");
  }
});

test("canonicalString() makes different strings of different parts", () => {
  const part = anyText.filter((text) => !text.includes("\n"));
  const parts = fc.record({
    method: part,
    url: part,
    bodySha256: part,
    timestamp: part,
    nonce: part,
  });
  fc.assert(fc.property(parts, parts, (a, b) => {
    const same = a.method === b.method && a.url === b.url && a.bodySha256 === b.bodySha256 &&
      a.timestamp === b.timestamp && a.nonce === b.nonce;
    assertEquals(canonicalString(a) === canonicalString(b), same);
  }));
});
