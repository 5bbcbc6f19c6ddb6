import { after, test } from "node:test";
import { spawn, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openKit } from "@sabika/client";
import { formatWebhookSecret, signWebhook } from "@sabika/protocol";
import { random } from "../../test/support/random.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { RUNTIME_ARGUMENTS } from "../../tools/programs/own_process.ts";
import { runProgram } from "../../tools/programs/run_program.ts";
import { examplesOf, writeExamples } from "../../test/support/examples.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { startTestSandbox } from "../../test/support/sandbox/test_sandbox.ts";

const DOCS = fileURLToPath(new URL("../../docs/", import.meta.url));

/** The partner's pages, one after the other. */
const folder = temporaryFolder();
const pages = ["partner.md", "webhooks.md"].map((name) => readFile(join(DOCS, name), "utf8"));
const page = (await Promise.all(pages)).join("\n");
const sandbox = await startTestSandbox(join(folder, ".sabika"));
after(async () => {
  await sandbox.stop();
  testRecord.dataFolder(folder);
});

/** The pages' code blocks whose fence has this text. */
function blocks(mark: string): string[] {
  const found = [...page.matchAll(/^```(.*)\n([^]*?)^```$/gm)];
  return found.filter(([, info]) => info === mark).map(([, , text]) => text!);
}

/** Runs a program beside the sandbox that this process serves. */
async function run(program: string, args: string[]) {
  const end = await runProgram(program, args, { cwd: folder });
  return { ...end, output: end.stdout + end.stderr };
}

/** The arguments by which this runtime runs one of the page's examples. */
function example(name: string, ...args: string[]): string[] {
  return [...RUNTIME_ARGUMENTS, join(DOCS, "examples", name), ...args];
}

// The first test: an event without a receiver is retried ever later, and later events wait for it.
test("the SDK's examples on the partner's page trade and receive the order's webhook", async (t) => {
  const { kitFolder } = sandbox.demo!;
  const receiver = spawn(process.execPath, example("receive.ts", kitFolder), {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  const prints = (words: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => printed.includes(words) && resolve();
      receiver.stdout.on("data", check);
      receiver.on("close", () => reject(new Error(`it ended: ${printed}`)));
      check();
    });
  receiver.stdout.on("data", (chunk) => printed += chunk);
  t.after(() => receiver.kill());
  await prints(`listening at ${(await openKit(kitFolder)).webhookUrl}`);
  const { exitCode, output } = await run(process.execPath, example("trade.ts", kitFolder));
  assertEquals(exitCode, 0, output);
  const [id] = /ord_[0-9a-f-]+/.exec(output) ?? [];
  assert(id !== undefined, output);
  assertStringIncludes(output, `${id} executed: 1000000 µg of gold`);
  await prints(`order.executed ${id}`);
});

test("the example on the partner's page is the file that it names", async () => {
  const file = await readFile(join(DOCS, "examples", "trade.ts"), "utf8");
  assertEquals(blocks("ts examples/trade.ts"), [file]);
});

test("the functions on the partner's page are those of curl.sh", async () => {
  const functions = (text: string) => text.match(/^\w+\(\) \{(?: .*\}|\n[^]*?\n\})$/gm) ?? [];
  const file = functions(await readFile(join(DOCS, "examples", "curl.sh"), "utf8"));
  const shown = functions(blocks("sh session").join("\n"));
  assert(shown.length >= 6);
  assertEquals(shown, file.filter((text) => !text.startsWith("token()")));
});

test("the curl session of the partner's page works unchanged", async () => {
  const session = blocks("sh session");
  assertEquals(session.length, 9);
  const { exitCode, output } = await run("bash", ["-euo", "pipefail", "-c", session.join("")]);
  assertEquals(exitCode, 0, output);
  assertStringIncludes(output, '"requested":{"amount_sar":500}');
  assertStringIncludes(output, '"verified":true');
  assertStringIncludes(output, '"status":"executed"');
  assertStringIncludes(output, '"type":"withdrawal.created"');
  assertStringIncludes(output, '"status":"cancelled"');
  assertStringIncludes(output, '"certificate":"-----BEGIN CERTIFICATE-----');
});

/** Deliveries, five arguments each, and the verdicts that a verifier must give. */
async function deliveries(): Promise<{ args: string[]; expected: string }> {
  const [secret, other] = [formatWebhookSecret(random(32)), formatWebhookSecret(random(32))];
  const delivery = async (secrets: string[], ageSeconds: number) => {
    const body = '{"type":"ping","text":"gold"}';
    const timestampSeconds = Math.floor(Date.now() / 1000) - ageSeconds;
    const signature = await signWebhook({ secrets, id: "evt_1", timestampSeconds, body });
    return [secret, "evt_1", String(timestampSeconds), signature, body];
  };
  const all = [delivery([other, secret], 0), delivery([other], 0), delivery([secret], 400)];
  return { args: (await Promise.all(all)).flat(), expected: "true false false" };
}

const has = (program: string, ...args: string[]) =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0;

const python = { skip: !has("python3", "--version") };
test("the Python lines of the partner's page verify a webhook", python, async () => {
  const file = join(folder, "verify.py");
  const main = `
import sys
args = sys.argv[1:]
for n in range(0, len(args), 5):
    headers = {"webhook-id": args[n + 1], "webhook-timestamp": args[n + 2], "webhook-signature": args[n + 3]}
    print(str(verify(args[n], headers, args[n + 4].encode())).lower())
`;
  await writeFile(file, blocks("python")[0]! + main);
  const { args, expected } = await deliveries();
  const { stdout, stderr } = await run("python3", [file, ...args]);
  assertEquals(stdout.trim().split(/\s+/).join(" "), expected, stderr);
});

test("all examples of the published packages run and pass the type check", async () => {
  const packages = ["canonical", "jws", "protocol", "client"];
  const examples = (await Promise.all(packages.map(examplesOf))).flat();
  const { main, modules } = await writeExamples(join(folder, "examples"), examples);
  const { exitCode, output } = await run(process.execPath, [...RUNTIME_ARGUMENTS, main]);
  assertEquals(exitCode, 0, output);
  const tsc = join(DOCS, "..", "node_modules", ".bin", "tsc");
  const types = ["--typeRoots", join(DOCS, "..", "node_modules", "@types"), "--types", "node"];
  const options = ["--strict", "--module", "nodenext", "--target", "es2023", "--skipLibCheck"];
  const extensions = ["--noEmit", "--allowImportingTsExtensions"];
  const checked = await run(tsc, [...modules, ...options, ...extensions, ...types]);
  assertEquals(checked.exitCode, 0, checked.output);
});
