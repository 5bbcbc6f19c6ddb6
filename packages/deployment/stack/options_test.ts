import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { readStackOptions } from "./options.ts";

test("readStackOptions() defaults to the data folder's cells, and to a partner for each cell", () => {
  const read = (...args: string[]) => {
    const { cells, partners } = readStackOptions(args);
    return [cells, partners];
  };
  assertEquals(read(), [undefined, 1]);
  assertEquals(read("--cells", "4"), [4, 4]);
  assertEquals(read("--cells", "4", "--partners", "2"), [4, 2]);
});

test("readStackOptions() refuses options from which no stack can start", () => {
  const wrong = [
    ["--instances", "0"],
    ["--instances", "two"],
    ["--partners", "0"],
    ["--port", "65536"],
    ["--port", "-1"],
    ["--data", ""],
    ["--environment", "test"],
    ["--nope"],
    ["word"],
    ["--office-port", "x"],
    ["--cells", "17"],
    ["--ha", "--cells", "2"],
  ];
  for (const args of wrong) assertThrows(() => readStackOptions(args), TypeError);
});
