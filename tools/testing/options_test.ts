import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { readTestOptions, UsageError } from "./options.ts";

test("readTestOptions() reads paths and options in any order", () => {
  assertEquals(
    readTestOptions(["a_test.ts", "--runtime", "deno", "--name=two words", "b", "--watch"]),
    {
      paths: ["a_test.ts", "b"],
      only: { runtime: "Deno", database: undefined },
      name: "two words",
      watch: true,
      all: false,
      times: false,
      faults: false,
      long: false,
    },
  );
  assertEquals(readTestOptions(["--database=postgresql"]).only.database, "PostgreSQL");
  assertEquals(readTestOptions(["--faults"]).faults, true);
  assertEquals(readTestOptions(["--faults", "--long"]).long, true);
  assertEquals(readTestOptions(["--all"]).all, true);
});

test("readTestOptions() refuses what it does not know in one line", () => {
  for (
    const [args, words] of [
      [["--runtimes", "node"], "Unknown option '--runtimes'"],
      [["--watch=yes"], "--watch"],
      [["--name"], "--name"],
      [["--name="], "--name needs a text"],
      [["--long"], "--long is of npm run faults alone"],
      [["--name", "--watch"], "--name"],
      [["--runtime", "bun"], "--runtime is node or deno, not bun"],
      [["--runtime", "toString"], "--runtime is node or deno, not toString"],
      [["--database", "PGlite"], "--database is pglite or postgresql, not PGlite"],
    ] as const
  ) {
    const error = assertThrows(() => readTestOptions(args), UsageError, words);
    assertEquals(error.message.includes("\n"), false);
  }
});
