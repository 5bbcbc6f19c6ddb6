import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { cp, mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { mustRun } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";
import { builtProgram } from "./built_program.mjs";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";

const PROGRAM = "packages/greeting/main.ts";

test("a program is built once for concurrent starts, and again when one of its files changes", async () => {
  const root = temporaryFolder();
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
    // Sets a time before the build, as for an old file.
    await utimes(join(root, path), 1_000_000_000 + text.length, 1_000_000_000 + text.length);
  };
  const run = async () => (await mustRun("node", [await builtProgram(root, PROGRAM)])).trim();
  for (const path of ["bundle_program.mjs", "built_program.mjs"]) {
    await cp(join(ROOT, "tools/build", path), join(root, "tools/build", path), {
      preserveTimestamps: true,
    });
  }
  await write(PROGRAM, `import { word } from "./word.ts"; console.log(word, import.meta.url);`);
  await write("packages/greeting/word.ts", `export const word: string = "good day";`);
  await write("packages/greeting/beside.ts", `export const other = 1;`);
  const builds = await Promise.all([1, 2, 3].map(() => builtProgram(root, PROGRAM)));
  assertEquals(new Set(builds).size, 1);
  assert((await run()).startsWith("good day file://"));
  assert((await run()).endsWith(PROGRAM), "its place is the source's");

  await write("packages/greeting/beside.ts", `export const other = 2_000;`);
  assertEquals(await builtProgram(root, PROGRAM), builds[0]);
  await write("packages/greeting/word.ts", `export const word: string = "good evening";`);
  assertNotEquals(await builtProgram(root, PROGRAM), builds[0]);
  assert((await run()).startsWith("good evening"));

  // Of the outdated builds only the latest is kept.
  await write("packages/greeting/word.ts", `export const word: string = "good night then";`);
  await builtProgram(root, PROGRAM);
  const folder = dirname(dirname(builds[0]!));
  assertEquals((await readdir(folder)).filter((name) => name !== "stamp.json").length, 2);
});
