import { assertEquals, assertMatch } from "@std/assert";
import { existsSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { runProgram } from "./programs/run_program.ts";
import { ROOT } from "./rules/repository_files.ts";
import { ensureDeno } from "./setup.mjs";
import { temporaryFolder } from "../test/support/temporary_folder.ts";

const scripts: Record<string, string> = JSON.parse(
  readFileSync(join(ROOT, "package.json"), "utf8"),
).scripts;
const commands = {
  ...scripts,
  sabika: "node tools/sabika.mjs",
  "sabika-client": "node tools/sabika_client.mjs",
};

/** Returns the words of an npm script's command, on the current runtime. */
function words(command: string): string[] {
  const [, ...rest] = command.split(" ");
  return "Deno" in globalThis ? ["run", "-A", ...rest] : rest;
}

const HELP = /^[A-Z].*\n[^]*(npm|sabika[-\w]*) .*\n[^]*--help/;

test("--help of every npm script is shown before anything is installed, and does nothing else", async () => {
  const clone = temporaryFolder();
  for (const folder of ["tools", "packages", "loadtest", "test"]) {
    await cp(join(ROOT, folder), join(clone, folder), {
      recursive: true,
      filter: (path) => !path.includes("node_modules") && !/\.(tsx?|sql|json)$/.test(path),
    });
  }
  for (const [name, command] of Object.entries(scripts)) {
    const args = [...words(command), "--help"];
    const end = await runProgram(process.execPath, args, { cwd: clone });
    assertEquals([end.exitCode, end.stderr], [0, ""], name);
    assertMatch(end.stdout, HELP, name);
  }
  assertEquals(existsSync(join(clone, "node_modules")), false);
});

for (const name of ["sabika", "sabika-client"] as const) {
  test(`${name} --help shows its help and does nothing else`, async () => {
    const args = [...words(commands[name]), "--help"];
    const end = await runProgram(process.execPath, args, { cwd: ROOT });
    assertEquals([end.exitCode, end.stderr], [0, ""]);
    assertMatch(end.stdout, HELP);
  });
}

test("Deno has a task for each npm script and runs the same file", () => {
  const { tasks } = JSON.parse(readFileSync(join(ROOT, "deno.json"), "utf8"));
  const files = (commands: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(commands)
        .map(([name, command]) => [name, command.replace(/^.*? (?=tools\/)/, "")]),
    );
  assertEquals(files(tasks), files(commands));
});

test("a Deno task takes its arguments with and without -- before them", async () => {
  const deno = await ensureDeno();
  for (const args of [["--help"], ["--", "--help"]]) {
    for (const task of ["faults", "check", "sidecar"]) {
      const end = await runProgram(deno, ["task", "--quiet", task, ...args], { cwd: ROOT });
      assertEquals([end.exitCode, end.stderr], [0, ""], `${task} ${args}`);
      assertMatch(end.stdout, /--help/);
    }
  }
});
