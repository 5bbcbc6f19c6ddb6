import { test } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { MEASURES } from "./measures/mod.ts";
import { help, readOptions, WrongUsage } from "./options.ts";

test("readOptions() measures everything in five rounds when nothing is said", () => {
  const { quick, rounds, only, json } = readOptions([]);
  assertEquals([quick, rounds, only, json], [false, 5, [], undefined]);
});

test("readOptions() knows the measures by name", () => {
  assertEquals(readOptions(["--only", "orders", "--only", "envoy"]).only, ["orders", "envoy"]);
  assertThrows(() => readOptions(["--only", "nothing"]), WrongUsage, "there are: verification");
});

for (const wrong of [["--rounds", "0"], ["--rounds", "x"], ["--colour"], ["orders"]]) {
  test(`readOptions() refuses "${wrong.join(" ")}"`, () => {
    assertThrows(() => readOptions(wrong), WrongUsage);
  });
}

test("help() names every measure with its question", () => {
  for (const { name, asks } of MEASURES) {
    assertStringIncludes(help(), name);
    assertStringIncludes(help(), asks);
  }
});
