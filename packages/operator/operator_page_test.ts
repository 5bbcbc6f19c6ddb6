import { after, test } from "node:test";
import { spawn, spawnSync } from "node:child_process";
import { chmod, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runOperator } from "../../test/support/run_operator.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { startTestSandbox } from "../../test/support/sandbox/test_sandbox.ts";
import { startTestReceiver } from "../../test/support/webhook_receiver.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { commandLine } from "../../tools/programs/command_line.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const missing = ["bash", "curl", "openssl"].filter((name) =>
  spawnSync(name, [name === "openssl" ? "version" : "--version"]).error !== undefined
);

/** In place of npx: passes its arguments to the command in the test's process, started once. */
const NPX = `#!/bin/bash
shift
printf '%s\\0' "$@" | curl -s --unix-socket operator.socket --data-binary @- \\
  -o .answer -w '%{http_code}' http://operator/ > .status
cat .answer
exit $(($(cat .status) - 200))
`;

const folder = temporaryFolder();
const sandbox = await startTestSandbox(join(folder, ".sabika"));
await symlink(join(ROOT, "docs"), join(folder, "docs"));
// The command finds files where the shell does.
process.chdir(folder);
const ofKit = (name: string) => readFile(join(sandbox.demo!.kitFolder, name), "utf8");
const receiver = await startTestReceiver({
  certificatePem: await ofKit("receiver.crt"),
  privateKeyPem: await ofKit("receiver.key"),
});
await runOperator(["webhook", "set", "demo", `https://127.0.0.1:${receiver.port}/`]);
const operator = await serveCommand(join(folder, "operator.socket"));
await writeFile(join(folder, "npx"), NPX);
await chmod(join(folder, "npx"), 0o755);
after(async () => {
  await new Promise((resolve) => operator.close(resolve));
  await sandbox.stop();
  await receiver.close();
  process.chdir(ROOT);
  testRecord.dataFolder(folder);
});

/** Runs the command for each request: NUL-separated arguments in, output and 200 + exit code out. */
async function serveCommand(path: string): Promise<Server> {
  const server = createServer((request, response) => {
    let words = "";
    request.setEncoding("utf8").on("data", (chunk) => words += chunk);
    request.on("end", async () => {
      const run = await runOperator(words.split("\0").slice(0, -1));
      response.writeHead(200 + run.code).end(run.stdout + run.stderr);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return server;
}

/** The commands of the index and of the pages that its table links to, in their order. */
async function session(): Promise<string> {
  const read = (path: string) => readFile(join(ROOT, "docs", path), "utf8");
  const index = await read("operator.md");
  const paths = [...index.matchAll(/^\| \[.+?\]\((operator\/.+?)\)/gm)].map(([, path]) => path!);
  assertEquals(paths.toSorted(), await pagesOf("operator"));
  const pages = [index, ...await Promise.all(paths.map(read))];
  const blocks = pages.flatMap((page) =>
    [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, commands]) => commands!)
  );
  assert(blocks.length >= 12, `${blocks.length} blocks`);
  return blocks.join("\n");
}

/** The paths of a folder's pages below docs. */
async function pagesOf(folder: string): Promise<string[]> {
  const names = await readdir(join(ROOT, "docs", folder));
  return names.map((name) => `${folder}/${name}`).toSorted();
}

test("the session on the operator's pages works as written, from --help to the master key", {
  skip: missing.length > 0 && `without ${missing.join(", ")}`,
}, async () => {
  const shell = spawn("bash", ["-euo", "pipefail", "-c", await session()], {
    cwd: folder,
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => output += text);
  }
  const code = await new Promise((resolve) => shell.on("close", resolve));
  assertEquals(code, 0, output);
  // The commands did what the pages describe.
  assertStringIncludes(output, "partner create --client-id");
  assertStringIncludes(output, '"verified":true');
  assertEquals(output.match(/"id":"ord_[^"]+".*"status":"executed"/g)?.length, 2);
  assertStringIncludes(output, "is completed");
  assertStringIncludes(output, "all is well: 2 partners recounted");
  assertStringIncludes(output, "nothing was done");
  assertStringIncludes(output, "is suspended");
  assertMatch(output, /evt_\S+ to demo: answered 2\d\d in \d+ ms by 127\.0\.0\.1:\d+/);
  assertMatch(output, /first accepted +\S+Z by 127\.0\.0\.1:\d+, at attempt 1/);
  assert(!output.includes('"code":'), output);

  // With the new master key the service works as before.
  const { stdout } = await runOperator(["partner", "show", "bank-two", "--json"], {
    SABIKA_DATA: join(folder, ".sabika"),
  });
  const { balances, credentials } = JSON.parse(stdout) as {
    balances: Record<string, number>;
    credentials: { state: string }[];
  };
  assertEquals([balances.gold_grams, balances.allocation_grams], [6, 994]);
  assertEquals(credentials.map(({ state }) => state), Array(9).fill("active"));
  const health = spawn(
    "curl",
    commandLine`-sS --cacert ca.crt --cert client.crt --key client.key ${sandbox.baseUrl}/health`,
    { cwd: join(folder, "bank-two") },
  );
  let answer = "";
  health.stdout.setEncoding("utf8").on("data", (text: string) => answer += text);
  await new Promise((resolve) => health.on("close", resolve));
  assertStringIncludes(answer, '"status":"ok"');
});

test("the launcher runs the command beside a running sandbox", async () => {
  const program = "Deno" in globalThis ? ["run", "-A"] : [];
  const command = spawn(
    process.execPath,
    commandLine`${program} ${join(ROOT, "tools", "sabika.mjs")} partner list --json
      --data ${join(folder, ".sabika")}`,
  );
  let [output, errors] = ["", ""];
  command.stdout.setEncoding("utf8").on("data", (text: string) => output += text);
  command.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
  assertEquals(await new Promise((resolve) => command.on("close", resolve)), 0, errors);
  assert(
    (JSON.parse(output) as { client_id: string }[]).some((partner) => partner.client_id === "demo"),
  );
});
