import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { runCommand } from "../../test/support/sandbox/run_command.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { RUNTIME_ARGUMENTS } from "../../tools/programs/own_process.ts";
import { runProgram } from "../../tools/programs/run_program.ts";

const COMMAND = fileURLToPath(new URL("../client/command/main.ts", import.meta.url));
const LIMIT_MS = 600_000;

test("from an empty folder all forty cases hold within ten minutes", async () => {
  const folder = temporaryFolder();
  const beganMs = performance.now();
  const sandbox = runCommand(["--port", "0", "--data", join(folder, ".sabika")], folder);
  try {
    await sandbox.ready;
    const kit = join(folder, ".sabika", "partners", "demo");
    const args = ["rehearse", "--kit", kit, "--out", join(folder, "report")];
    const { stdout, stderr } = await runProgram(
      process.execPath,
      [...RUNTIME_ARGUMENTS, COMMAND, ...args],
    );
    const took = performance.now() - beganMs;
    const report = JSON.parse(await readFile(join(folder, "report.json"), "utf8"));
    const others = report.cases.filter(({ result }: { result: string }) => result !== "holds");
    assertEquals(others, [], stdout + stderr);
    assertEquals(report.cases.length, 40);
    assert(took < LIMIT_MS, `${took} ms`);
  } finally {
    await sandbox.end("SIGTERM");
    testRecord.dataFolder(folder);
  }
});
