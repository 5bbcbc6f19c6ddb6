import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { testRecord } from "../../test/secret_search/record.ts";
import { startTestSandbox } from "../../test/support/sandbox/test_sandbox.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const missing = ["bash", "curl", "openssl"].filter((name) =>
  spawnSync(name, [name === "openssl" ? "version" : "--version"]).error !== undefined
);

const folder = temporaryFolder();
const sandbox = await startTestSandbox(join(folder, ".sabika"));
for (const name of ["docs", "tools"]) await symlink(join(ROOT, name), join(folder, name));
after(async () => {
  await sandbox.stop();
  testRecord.dataFolder(folder);
});

/** The shell commands of one section of the README, as they stand. */
async function commandsOf(section: string): Promise<string[]> {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  const [, text] = readme.split(`\n## ${section}\n`);
  assert(text !== undefined, `README has no section ${section}`);
  const [body] = text.split("\n## ");
  return [...body!.matchAll(/```sh\n([^]*?)```/g)].map(([, commands]) => commands!);
}

/** Pastes commands into a shell that stops at the first that fails. */
async function paste(commands: string): Promise<string> {
  const shell = spawn("bash", ["-e", "-o", "pipefail", "-c", commands], {
    cwd: folder,
    env: { ...process.env, PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const [exitCode] = await once(shell, "close");
  assertEquals(exitCode, 0, output);
  return output;
}

test("the README's curl and openssl commands work as they stand, pasted", {
  skip: missing.length > 0 && `without ${missing.join(", ")}`,
}, async () => {
  const blocks = await commandsOf("You are a partner's developer");
  const byHand = blocks.filter((block) => !block.includes("run.mjs"));
  assert(byHand.length >= 5);
  const output = await paste(byHand.join("\n"));
  assertStringIncludes(output, '"status":"ok"');
  assertStringIncludes(output, '"verified":true');
  const orders = output.match(/"id":"ord_[^"]+".*"status":"executed".*/g) ?? [];
  assertEquals(orders.length, 2, output);
  assertEquals(orders[0], orders[1]);
  assert(!output.includes('"code":'), output);
});

test("the README's example of the SDK buys gold", async () => {
  const example = "docs/examples/trade.ts";
  const command = "Deno" in globalThis
    ? `'${process.execPath}' run -A '${join(ROOT, example)}'`
    : (await commandsOf("You are a partner's developer")).find((block) => block.includes(example))!;
  assertStringIncludes(await paste(command), " executed: 1000000 µg of gold");
});
