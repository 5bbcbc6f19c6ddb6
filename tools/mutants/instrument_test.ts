import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { type InstrumentResult, readInstrumentation } from "./instrument.ts";

const TEXT = "const a = 1;\nif (a < b) {\n  c();\n}\n";

/** A mutant at columns of a line, all from 0. */
const mutant = (id: string, line: number, columns: [number, number], replacement: string) => ({
  id,
  fileName: "a.ts",
  mutatorName: "EqualityOperator",
  replacement,
  location: { start: { line, column: columns[0] }, end: { line, column: columns[1] } },
});

test("readInstrumentation() places Stryker's mutants with the numbers that switch them on", () => {
  const result: InstrumentResult = {
    files: [{ name: "b.ts", content: "" }, { name: "a.ts", content: "switched" }],
    mutants: [
      mutant("7", 1, [4, 9], "a <= b"),
      mutant("8", 2, [2, 5], ""),
      mutant("9", 0, [10, 11], "2"),
      { ...mutant("10", 0, [10, 11], "3"), status: "Ignored" },
      { ...mutant("11", 0, [10, 11], "4"), fileName: "b.ts" },
    ],
  };
  const [a] = readInstrumentation([{ file: "a.ts", text: TEXT }], result);
  assertEquals(a!.text, "switched");
  assertEquals(
    [...a!.mutants].map(([{ line, kind, after }, id]) => [line, kind, after, id]),
    [
      [1, "equality operator", "const a = 2;", "9"],
      [2, "equality operator", "if (a <= b) {", "7"],
      [3, "equality operator", ";", "8"],
    ],
  );
});
