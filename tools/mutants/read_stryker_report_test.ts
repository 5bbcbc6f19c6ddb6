import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { readStrykerReport } from "./read_stryker_report.ts";

const TEXT = "const a = 1;\nif (a < b) {\n  c();\n}\n";

/** A mutant from a place on one line to another, from 1. */
const mutant = (line: number, columns: [number, number], replacement: string, status: string) => ({
  mutatorName: "EqualityOperator",
  replacement,
  status,
  killedBy: status === "Killed" ? ["1"] : [],
  location: { start: { line, column: columns[0] }, end: { line, column: columns[1] } },
});

test("readStrykerReport() places Stryker's mutants, and says which live", () => {
  const mutants = [
    mutant(2, [5, 10], "a <= b", "Killed"),
    mutant(2, [5, 10], "true", "NoCoverage"),
    mutant(3, [3, 6], "", "Survived"),
    mutant(1, [11, 12], "2", "Timeout"),
    mutant(1, [1, 2], "", "CompileError"),
  ];
  const rows = readStrykerReport("a.ts", TEXT, {
    files: { "a.ts": { mutants } },
    testFiles: { "x_test.ts": { tests: [{ id: "0" }] }, "y_test.ts": { tests: [{ id: "1" }] } },
  });
  assertEquals(
    rows.map(({ mutant: { line, kind, after }, judgement }) => [line, kind, after, judgement]),
    [
      [1, "equality operator", "onst a = 1;", { outcome: "refused" }],
      [1, "equality operator", "const a = 2;", { outcome: "found", file: "", test: "Timeout" }],
      [2, "equality operator", "if (a <= b) {", {
        outcome: "found",
        file: "y_test.ts",
        test: "Killed",
      }],
      [2, "equality operator", "if (true) {", { outcome: "lives" }],
      [3, "equality operator", ";", { outcome: "lives" }],
    ],
  );
});
