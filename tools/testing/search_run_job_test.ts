import { test } from "node:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { assertEquals } from "@std/assert";
import { runJob } from "./run_job.ts";
import { searchRun } from "../../test/secret_search/search_run.ts";

const RECORD = new URL("../../test/secret_search/record.ts", import.meta.url).href;

/** A test that passes, whose service logs what it must not, and which prints a token itself. */
const LEAKING = `
import { test } from "node:test";
${"import"} { testRecord } from "${RECORD}";
test("it leaks", () => {
  testRecord.secret("edge secret", "planted-0123456789abcdef");
  testRecord.log("service", "info started\\ninfo with planted-0123456789abcdef");
  console.log("authorization: Bearer eyJh");
});
`;

test("the runner finds what a test file on its own runtime has leaked, by log and by output", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sabika-leak-"));
  try {
    const path = join(folder, "leaking_test.mts");
    await writeFile(path, LEAKING);
    const runtime = "Deno" in globalThis ? "Deno" : "Node";
    const [run] = await runJob({ files: [{ path, kind: "plain" }], on: { runtime } }, {
      deno: process.execPath,
      node: process.execPath,
      folder,
      timeoutSeconds: 60,
    });
    assertEquals(run!.results.map(({ outcome }) => outcome), ["passed"], run!.output);
    const found = searchRun(folder).findings.map((line) =>
      line.replace(`${path} [${runtime}] `, "")
    );
    assertEquals(found.map((line) => line.replace(/(output), line \d+/, "$1")), [
      "output: something like a bearer token",
      "service, line 2: edge secret",
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
