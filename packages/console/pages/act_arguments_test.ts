import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { readArguments } from "./act_arguments.ts";

const read = (...bars: string[]) =>
  readArguments("vault.count", { "given.bars": bars, "given.place": [""] }, []);

test("bars are ticked, scanned and weighed in either script; a tick counts once with its line", () => {
  const scanned = "S-٢\r\n\n  S-3 = ١٢٬٤٤١٫٣٨ غ\nS-4\t1 kg\nS-5; 999.5";
  assertEquals(read("S-1", "S-3", scanned), {
    input: { bars: ["S-1", "S-2", "S-3=12441.38", "S-4=1000", "S-5=999.5"] },
    mistakes: {},
  });
  assertEquals(read(""), { input: { bars: [] }, mistakes: {} });
});

test("a bar that is there twice is named, and so is a weight that is none", () => {
  assertEquals(read("S-1\nS-2\nS-١").mistakes, { bars: { code: "twice", which: "S-1" } });
  for (const wrong of ["S-1=heavy", "S-1=1,5", "S-1=", "S 1=0", "#=1"]) {
    assertEquals(read(wrong).mistakes, { bars: { code: "wrong_bar", which: wrong } });
  }
});
