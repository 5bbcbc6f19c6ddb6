import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { encodeUtf8 } from "@sabika/protocol";
import { parseForm } from "./parse_form.ts";

/** Two names with and without a value, one of them also escaped. */
const PAIRS = ["a=1", "a=", "%61=2", "b=1", "b="];

test("parseForm() accepts each name once, with or without a value (RFC 6749 §3.2)", () => {
  const pairs = PAIRS.map((pair) => [pair]);
  const twos = PAIRS.flatMap((pair) => pairs.map((form) => [pair, ...form]));
  const threes = PAIRS.flatMap((pair) => twos.map((form) => [pair, ...form]));
  for (const text of [...pairs, ...twos, ...threes].map((form) => form.join("&"))) {
    const read = [...new URLSearchParams(text)];
    const isTwice = new Set(read.map(([name]) => name)).size < read.length;
    const form = parseForm(encodeUtf8(text));
    assertEquals(form && [...form], isTwice ? undefined : read.filter(([, value]) => value), text);
  }
});
