import { assertEquals, assertStringIncludes } from "@std/assert";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { runJob } from "./run_job.ts";

/** A test that waits for a program that does not end. */
const HANGING = `
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
test("it hangs", async () => {
  await once(spawn("sleep", ["600"]), "close");
});
`;

test("a file that hangs is ended, with what it waits for, and has failed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sabika-hang-"));
  try {
    const path = join(folder, "hanging_test.mts");
    await writeFile(path, HANGING);
    const on = { runtime: "Deno" in globalThis ? "Deno" : "Node" } as const;
    const [run] = await runJob({ files: [{ path, kind: "plain" }], on }, {
      deno: process.execPath,
      node: process.execPath,
      folder,
      timeoutSeconds: 3,
    });
    assertEquals(run!.results.map(({ outcome }) => outcome).at(-1), "failed");
    assertStringIncludes(run!.results.at(-1)!.error!, "it did not end within 3 s");
  } finally {
    await rm(folder, { recursive: true });
  }
});
