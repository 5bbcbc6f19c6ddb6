import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { openKit } from "@sabika/client";
import { startTestSandbox } from "../../test/support/sandbox/test_sandbox.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { RUNTIME_ARGUMENTS } from "../../tools/programs/own_process.ts";
import { runProgram } from "../../tools/programs/run_program.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const COMMAND = join(ROOT, "packages/client/command/main.ts");

const folder = temporaryFolder();
const sandbox = await startTestSandbox();
after(() => sandbox.stop());

/** Runs the rehearsal; returns exit code, output, and result and cause of each case. */
async function rehearse(cases: string, ...more: string[]) {
  const out = join(folder, "report");
  const args = ["rehearse", "--kit", sandbox.demo!.kitFolder, "--case", cases, "--out", out];
  const program = [...RUNTIME_ARGUMENTS, COMMAND, ...args, ...more];
  const { exitCode, stdout, stderr } = await runProgram(process.execPath, program, { cwd: ROOT });
  const output = stdout + stderr;
  testRecord.log("rehearse", output);
  const report = JSON.parse(await readFile(`${out}.json`, "utf8").catch(() => '{"cases":[]}'));
  const results = report.cases.map((
    { number, result, seen }: { number: number; result: string; seen: string },
  ) => [number, result, seen]);
  return { exitCode, output, results };
}

test("the example of docs/rehearsal.md passes, as a program of the partner's", async () => {
  const example = join(ROOT, "docs/examples/rehearse.ts");
  const words = [process.execPath, ...RUNTIME_ARGUMENTS, example, sandbox.demo!.kitFolder];
  const command = words.map((word) => `'${word}'`).join(" ");
  const { exitCode, output, results } = await rehearse("8,13,19,29,40", "--program", command);
  assertEquals(exitCode, 0, output);
  assertEquals(results.map(([, result]: string[]) => result), Array(5).fill("holds"));
  assertStringIncludes(output, "5 of 5 cases hold");
  assertStringIncludes(await readFile(join(folder, "report.html"), "utf8"), "5 of 5 cases hold.");
});

test("a program that only says yes, and then ends, fails what it does not do", async () => {
  const yes = join(folder, "yes.mjs");
  await writeFile(
    yes,
    `process.stdin.on("data", (step) => {
      if (String(step).includes("probe")) process.exit(3);
      console.log('{"ok":true,"id":"x"}');
    });`,
  );
  const program = `'${process.execPath}' '${yes}'`;
  const { exitCode, results } = await rehearse("11,15,25,29,30,2", "--program", program);
  assertEquals(exitCode, 1);
  assertEquals(results.map(([, , seen]: string[]) => seen!.split(" instead")[0]), [
    "the key made 0 orders",
    "order succeeded",
    "the key made 0 withdrawals",
    "cancel succeeded",
    "undefined SAR and undefined g",
    "probe ended with the program has ended",
  ]);
});

test("an endpoint that accepts what it cannot verify fails, whatever the program says", async (t) => {
  const kit = await openKit(sandbox.demo!.kitFolder);
  const { certificatePem: cert, privateKeyPem: key } = kit.receiver!;
  const server = createServer({ cert, key }, (request, response) => {
    request.resume().on("end", () => response.writeHead(204).end());
  });
  const { port, hostname } = new URL(kit.webhookUrl!);
  server.listen(Number(port), hostname);
  await once(server, "listening");
  t.after(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { exitCode, results } = await rehearse("35,39");
  assertEquals(exitCode, 1);
  assertEquals(results, [
    [35, "holds", null],
    [39, "fails", "the wrong signature was answered with 204"],
  ]);
});
