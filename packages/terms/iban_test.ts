import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { readIban } from "./iban.ts";

test("readIban() accepts the registry's examples, with blanks and in lower case", () => {
  const ibans = [
    "SA03 8000 0000 6080 1016 7519",
    "AE07 0331 2345 6789 0123 456",
    "BH67 BMAG 0000 1299 1234 56",
    "gb29 nwbk 6016 1331 9268 19",
    "MT84MALT011000012345MTLCAST001S",
    "NO9386011117947",
  ];
  for (const iban of ibans) {
    assertEquals(readIban(iban), { ok: true, value: iban.replaceAll(" ", "").toUpperCase() });
  }
});

test("readIban() refuses wrong lengths, countries, characters and every wrong digit", () => {
  const mistakes = [
    "",
    "SA",
    "SA038000000060801016751",
    "SA0380000000608010167519X",
    "XX0380",
    "SA03-8000",
  ];
  for (const bad of mistakes) {
    assert(!readIban(bad).ok, bad);
  }
  const good = "SA0380000000608010167519";
  for (let i = 2; i < good.length; i++) {
    const changed = good.slice(0, i) + ((Number(good[i]) + 1) % 10) + good.slice(i + 1);
    assert(!readIban(changed).ok, changed);
  }
});
