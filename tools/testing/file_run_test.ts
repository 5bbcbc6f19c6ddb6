import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { searchRun } from "../../test/secret_search/search_run.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import type { FileRun, PlannedRun, RunSettings } from "./file_run.ts";
import { runOnDeno } from "./run_on_deno.ts";
import { runOnNode } from "./run_on_node.ts";

const RUNTIME = "Deno" in globalThis ? "Deno" : "Node";

/** A test that waits for a program that does not end. */
const HANGING = `
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
test("it hangs", async () => {
  await once(spawn("sleep", ["600"]), "close");
});
`;

/** A test that passes if only the hooks of its own file have run. */
const HOOKED = `
import { after, before, beforeEach, test } from "node:test";
const met = await Promise.resolve([]);
before(() => met.push("before"));
beforeEach(() => met.push("each"));
after(() => met.push("after"));
test("one", () => {});
test("another", () => {
  if (met.join() !== "before,each,each") throw new Error(met.join());
});
`;

/** Tests within suites and within tests. */
const NESTED = `
import { describe, it, test } from "node:test";
test("parent", async (t) => {
  await t.test("child", () => {});
  await t.test("child fails", () => { throw new Error("<boo> & more"); });
});
test("fails itself", async (t) => {
  await t.test("child", () => {});
  throw new Error("own");
});
describe("suite", () => {
  describe("deep", () => { it("leaf", (t) => t.diagnostic("13 ms")); });
  it("later", { skip: true }, () => {});
});
`;

/** A file whose set-up fails. */
const BROKEN = `
import { before, test } from "node:test";
before(() => { throw new Error("no world"); });
test("unreached", () => {});
`;

/** A file that ends its process. */
const ENDING = `
import { test } from "node:test";
import process from "node:process";
test("it ends", () => process.exit(7));
`;

const RECORD = new URL("../../test/secret_search/record.ts", import.meta.url).href;

/** A passing test whose service logs a secret, and which prints a token itself. */
const LEAKING = `
import { test } from "node:test";
${"import"} { testRecord } from "${RECORD}";
test("it leaks", () => {
  testRecord.secret("edge secret", "planted-0123456789abcdef");
  testRecord.log("service", "info started\\ninfo with planted-0123456789abcdef");
  console.log("authorization: Bearer eyJh");
});
`;

/** Writes the texts as test files and runs them as the runner does, on the current runtime. */
async function runFiles(
  texts: readonly string[],
  settings: Partial<RunSettings>,
  look: (runs: FileRun[], folder: string) => void,
): Promise<void> {
  const folder = temporaryFolder();
  const waiting: PlannedRun[] = [];
  for (const [place, text] of texts.entries()) {
    const path = join(folder, `${place}_test.mts`);
    await writeFile(path, text);
    waiting.push({ file: { path, kind: "plain", sized: false }, on: { runtime: RUNTIME } });
  }
  const { execPath } = process;
  const all = { deno: execPath, node: execPath, folder, timeoutSeconds: 60, ...settings };
  const runs: FileRun[] = [];
  while (waiting.length > 0) {
    if (RUNTIME === "Deno") runs.push(await runOnDeno(waiting.shift()!, all));
    else await runOnNode(() => waiting.shift(), (run) => runs.push(run), all);
  }
  look(runs, folder);
}

const outcomes = (run: FileRun | undefined) => run!.results.map(({ outcome }) => outcome);

test("files of one process have their own hooks, and each its own results", async () => {
  await runFiles([HOOKED, BROKEN, HOOKED], {}, ([first, broken, last]) => {
    assertEquals(outcomes(first), ["passed", "passed"]);
    assertEquals(last!.results.map(({ name, outcome }) => [name, outcome]), [
      ["one", "passed"],
      ["another", "passed"],
    ]);
    const failed = broken!.results.filter(({ outcome }) => outcome === "failed");
    assertStringIncludes(failed.map(({ error }) => error).join(), "no world");
  });
});

test("only the innermost tests count, under the names of the suites and tests around them", async () => {
  await runFiles([NESTED], {}, ([run]) => {
    const lines = run!.results.map(({ name, outcome }) => `${outcome}: ${name}`);
    assertEquals(lines.sort(), [
      "failed: fails itself",
      "failed: parent > child fails",
      "passed: fails itself > child",
      "passed: parent > child",
      "passed: suite > deep > leaf",
      "skipped: suite > later",
    ]);
    const errors = run!.results.map(({ error = "" }) => error).join();
    assertStringIncludes(errors, "<boo> & more");
    assertStringIncludes(errors, "own");
    if (RUNTIME === "Node") {
      assertEquals(run!.results.flatMap(({ notes = [] }) => notes), ["13 ms"]);
    }
  });
});

test("a file that hangs is ended and has failed, and the report names what it waits for", async () => {
  await runFiles([HANGING], { timeoutSeconds: 3 }, ([run]) => {
    assertEquals(outcomes(run).at(-1), "failed");
    const { error } = run!.results.at(-1)!;
    assertStringIncludes(error!, "it did not end within 3 s");
    assertMatch(error!, /load \d+\.\d on \d+ processors/);
    assertStringIncludes(error!, "it hangs");
  });
});

test("a file that ends its process has failed, and later files still run", async () => {
  await runFiles([ENDING, HOOKED], {}, ([ended, next]) => {
    assertEquals(outcomes(ended).includes("failed"), true);
    assertStringIncludes(ended!.results.at(-1)!.error!, "the process ended with 7");
    assertEquals(outcomes(next), ["passed", "passed"]);
  });
});

test("the runner finds secrets that a test file has leaked to a log or to its output", async () => {
  await runFiles([LEAKING], {}, ([run], folder) => {
    assertEquals(outcomes(run), ["passed"]);
    const found = searchRun(folder).findings.map((line) =>
      line.replace(`${run!.file.path} [${RUNTIME}] `, "")
    );
    assertEquals(found.map((line) => line.replace(/(output), line \d+/, "$1")), [
      "output: something like a bearer token",
      "service, line 2: edge secret",
    ]);
  });
});
