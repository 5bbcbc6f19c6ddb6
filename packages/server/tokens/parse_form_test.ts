import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { parseForm } from "./parse_form.ts";

const utf8 = new TextEncoder();
const read = (text: string) => {
  const form = parseForm(utf8.encode(text));
  return form === undefined ? undefined : Object.fromEntries(form);
};

test("parseForm() reads names and values with their escapes", () => {
  assertEquals(read("grant_type=client_credentials&client_secret=a%2Bb+c%C3%A9"), {
    grant_type: "client_credentials",
    client_secret: "a+b cé",
  });
  assertEquals(read(""), {});
});

test("parseForm() refuses a name that is given twice, even once without a value", () => {
  assertEquals(read("a=1&a=1"), undefined);
  assertEquals(read("a=&a=1"), undefined);
  assertEquals(read("a=1&%61=2"), undefined);
});

test("parseForm() refuses broken escapes, wrong UTF-8 and stray text", () => {
  for (const text of ["a=%4", "a=%zz", "a=%ff", "a", "=1", "a=1&", "&a=1", "a=1=2", "a=b c"]) {
    assertEquals(read(text), undefined, text);
  }
  assertEquals(parseForm(Uint8Array.of(0x61, 0x3d, 0xff)), undefined);
});
