import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { SIMULATION_NAMES } from "@sabika/protocol";
import { surroundings } from "../../test/support/sandbox/surroundings.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { RUNTIME_ARGUMENTS } from "../../tools/programs/own_process.ts";
import { startSandbox } from "./mod.ts";

const EXAMPLE = fileURLToPath(new URL("../../docs/examples/simulate.ts", import.meta.url));

test("the example of docs/simulate.md handles every failure, and its books are equal", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sabika-simulate-"));
  const sandbox = await startSandbox(
    { dataFolder: join(folder, ".sabika"), port: 0 },
    surroundings,
  );
  try {
    const { kitFolder } = sandbox.demo!;
    const example = spawn(process.execPath, [...RUNTIME_ARGUMENTS, EXAMPLE, kitFolder]);
    let output = "";
    for (const stream of [example.stdout, example.stderr]) {
      stream.on("data", (chunk) => output += chunk);
    }
    const [code] = await once(example, "close");
    assertEquals(code, 0, output);
    for (const name of SIMULATION_NAMES) assertMatch(output, new RegExp(`^${name}: `, "m"));
    const all = SIMULATION_NAMES.length;
    assertStringIncludes(output, `all ${all} of ${all} failures are handled`);
    assertStringIncludes(output, "the books are equal");
  } finally {
    await sandbox.stop();
    testRecord.dataFolder(folder);
    await rm(folder, { recursive: true, force: true });
  }
});
