import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { TestFile } from "../testing/test_files.ts";
import { planCoverage, readCoverage } from "./coverage.ts";

const [a, b] = ["a_test.ts", "b_test.ts"].map((path) => ({ path, kind: "plain" }) as TestFile);
const tests = [a!, b!];

test("a mutant is known by the tests that reach it always, and those that reach it once", () => {
  const runs = planCoverage(tests);
  assertEquals(runs.map(({ file }) => file.path), [a, a, b, b].map((file) => file!.path));
  const [first, second, third, fourth] = runs.map(({ environment }) => environment!["MUTANT_RUN"]!);
  const folder = mkdtempSync(join(tmpdir(), "sabika-test-"));
  try {
    const write = (name: string, hits: unknown) =>
      writeFileSync(join(folder, name), JSON.stringify(hits));
    write("1.json", { [first!]: { "1": 3, "2": 1 }, [second!]: { "1": 1 } });
    // Of a process that a test started, too.
    write("2.json", { [first!]: { "1": 2 }, [third!]: { "3": 1 }, [fourth!]: { "3": 1 } });
    const coverage = readCoverage(folder, tests);
    const of = (id: string) => [coverage.reaching(id), coverage.isReached(id)];
    assertEquals(["1", "2", "3", "4"].map(of), [
      [[a], true],
      [[], true],
      [[b], true],
      [[], false],
    ]);
    assertEquals([coverage.hits("1", a!), coverage.hits("1", b!)], [5, 0]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
