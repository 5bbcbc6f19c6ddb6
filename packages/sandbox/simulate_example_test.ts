import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { SIMULATION_NAMES } from "@sabika/protocol";
import { startTestSandbox } from "../../test/support/sandbox/test_sandbox.ts";
import { RUNTIME_ARGUMENTS } from "../../tools/programs/own_process.ts";
import { runProgram } from "../../tools/programs/run_program.ts";

const EXAMPLE = fileURLToPath(new URL("../../docs/examples/simulate.ts", import.meta.url));

test("the example of docs/simulate.md handles every failure, and its books are equal", async () => {
  const sandbox = await startTestSandbox();
  try {
    const { kitFolder } = sandbox.demo!;
    const { exitCode, stdout, stderr } = await runProgram(
      process.execPath,
      [...RUNTIME_ARGUMENTS, EXAMPLE, kitFolder],
    );
    assertEquals(exitCode, 0, `${stderr}after ${stdout.trimEnd().split("\n").at(-1)}`);
    for (const name of SIMULATION_NAMES) assertMatch(stdout, new RegExp(`^${name}: `, "m"));
    const all = SIMULATION_NAMES.length;
    assertStringIncludes(stdout, `all ${all} of ${all} failures are handled`);
    assertStringIncludes(stdout, "the books are equal");
  } finally {
    await sandbox.stop();
  }
});
