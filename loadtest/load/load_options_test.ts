import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { readLoadOptions, WrongUsage } from "./load_options.ts";

test("readLoadOptions() shares the rate between the partners", () => {
  const options = readLoadOptions(["quote_order", "--partners", "4", "--rate", "200"])!;
  assertEquals([options.script, options.partners, options.rate], ["quote_order", 4, "50"]);
});

for (
  const wrong of [
    [],
    ["nothing"],
    ["smoke", "soak"],
    ["smoke", "--partners", "0"],
    ["smoke", "--rate", "-1"],
    ["smoke", "--colour", "red"],
  ]
) {
  test(`readLoadOptions() refuses "${wrong.join(" ")}"`, () => {
    assertThrows(() => readLoadOptions(wrong), WrongUsage);
  });
}
