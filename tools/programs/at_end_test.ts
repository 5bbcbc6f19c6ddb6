import { assert } from "@std/assert";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { ROOT } from "../rules/repository_files.ts";
import { runProgram } from "./run_program.ts";

test("what is to be done at the end is done when the runtime's own test runner ends", async () => {
  const folder = temporaryFolder();
  const [file, done] = [join(folder, "sample_test.ts"), join(folder, "done")];
  const module = new URL("at_end.ts", import.meta.url).href;
  await writeFile(
    file,
    `import { writeFileSync } from "node:fs";
    import { test } from "node:test";
    import { atEnd } from ${JSON.stringify(module)};
    atEnd(() => writeFileSync(${JSON.stringify(done)}, ""));
    test("a sample", () => {});`,
  );
  const command = "Deno" in globalThis ? ["test", "-A", "--no-check"] : ["--import", "tsx"];
  await runProgram(process.execPath, [...command, file], { cwd: ROOT });
  assert(existsSync(done));
});
