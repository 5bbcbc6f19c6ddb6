import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import process from "node:process";
import { test } from "node:test";
import { type ProgramEnd, runProgram } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";
import { readTestOptions, UsageError } from "./options.ts";
import { planRuns } from "./run_tests.ts";

const RUNTIME = "Deno" in globalThis ? "deno" : "node";
const FILE = "tools/testing/test_files_test.ts";

/** Runs `npm test -- ARGS…` as npm does, on the current runtime. */
function npmTest(...args: string[]): Promise<ProgramEnd> {
  const before = RUNTIME === "deno" ? ["run", "-A"] : [];
  return runProgram(process.execPath, [...before, "tools/test.mjs", ...args], { cwd: ROOT });
}

test("npm test runs one file on one runtime, without colours unless in a terminal", async () => {
  const { exitCode, stdout } = await npmTest(FILE, "--runtime", RUNTIME);
  assertEquals(exitCode, 0, stdout);
  assertMatch(stdout, /\n[1-9] passed, 0 failed, 0 skipped\n/);
  // deno-lint-ignore no-control-regex
  assertEquals(/\x1b|\r/.test(stdout), false);
});

test("npm test runs only the tests with a name, and fails if there is none", async () => {
  const named = await npmTest(FILE, "--runtime", RUNTIME, "--name", "finds each test file");
  assertStringIncludes(named.stdout, "\n1 passed, 0 failed, 0 skipped\n");
  const none = await npmTest(FILE, "--runtime", RUNTIME, "--name", "finds .ach");
  assertEquals(none.exitCode, 1);
  assertStringIncludes(none.stdout, 'no test is called "finds .ach"');
});

test("npm test refuses a wrong option in one line and ends with 2", async () => {
  const { exitCode, stdout, stderr } = await npmTest("--nope");
  assertEquals([exitCode, stdout], [2, ""]);
  assertStringIncludes(stderr, "Unknown option '--nope'; see `npm test -- --help`\n");
  assertEquals(stderr.trim().includes("\n"), false);
});

test("an unknown option, and a path without tests, are refused", () => {
  const samples = [
    [["--watch=yes"], "--watch"],
    [["--name", "--watch"], "--name"],
    [["--name="], "--name needs a text"],
    [["--long"], "--long is of npm run faults alone"],
    [["--seed=1"], "--seed and --cases are of npm run fuzz alone"],
    [["--fuzz", "--seed=4294967296"], "--seed is a whole number"],
    [["--runtime", "toString"], "--runtime is node or deno, not toString"],
    [["packages/nowhere"], "no test file is below packages/nowhere"],
    [
      ["packages/sidecar/admin_envoy_test.ts", "--database=pglite"],
      "no test among them runs on PGlite",
    ],
    [["test/faults/kill_server_fault_test.ts"], "no test is among them"],
  ] as const;
  for (const [args, words] of samples) {
    const error = assertThrows(() => planRuns(readTestOptions(args)), UsageError, words);
    assertEquals(error.message.includes("\n"), false);
  }
});
