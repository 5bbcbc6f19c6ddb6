import { test } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { MEASURES } from "./measures/mod.ts";
import { chooseMeasures, help, readOptions, WrongUsage } from "./options.ts";

test("readOptions() measures everything in five rounds when nothing is said", () => {
  const { quick, rounds, only, json } = readOptions([]);
  assertEquals([quick, rounds, only, json], [false, 5, [], undefined]);
});

test("readOptions() knows the measures by name", () => {
  assertEquals(readOptions(["--only", "orders", "--only", "envoy"]).only, ["orders", "envoy"]);
  assertThrows(() => readOptions(["--only", "nothing"]), WrongUsage, "there are: orders");
});

test("chooseMeasures() has cost only where it is named", () => {
  const names = (args: string[]) => chooseMeasures(readOptions(args)).map(({ name }) => name);
  assertEquals(names([]).includes("cost"), false);
  assertEquals(names(["--quick", "--only", "cost"]), ["cost"]);
});

test("readOptions() measures against another checkout alone, which has to be named", () => {
  const { only, against } = readOptions(["--against", "../before"]);
  assertEquals([only, against], [["against"], "../before"]);
  assertEquals(readOptions(["--against", "..", "--only", "orders"]).only, ["orders"]);
  assertEquals(readOptions(["--against", "..", "--only", "cost"]).only, ["cost"]);
  assertThrows(() => readOptions(["--only", "against"]), WrongUsage, "--against FOLDER");
  assertEquals(chooseMeasures(readOptions([])).map(({ name }) => name).includes("against"), false);
});

test("chooseMeasures() leaves out what takes long from a quick run", () => {
  const names = chooseMeasures({ only: [], quick: true }).map(({ name }) => name);
  assertEquals([names.includes("orders"), names.includes("growth")], [true, false]);
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
