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

/** A test that passes when it alone has met the hooks of its file. */
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

/** A file whose set-up fails. */
const BROKEN = `
import { before, test } from "node:test";
before(() => { throw new Error("no world"); });
test("unreached", () => {});
`;

test("files of one process have their own hooks, and each its own results", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sabika-hooks-"));
  try {
    const texts = { a: HOOKED, b: BROKEN, c: HOOKED };
    const files = Object.keys(texts).map((name) => join(folder, `${name}_test.mts`));
    for (const [index, text] of Object.values(texts).entries()) {
      await writeFile(files[index]!, text);
    }
    const on = { runtime: "Deno" in globalThis ? "Deno" : "Node" } as const;
    const runs = await runJob({ files: files.map((path) => ({ path, kind: "plain" })), on }, {
      deno: process.execPath,
      node: process.execPath,
      folder,
      timeoutSeconds: 60,
    });
    const [first, broken, last] = runs.map(({ results }) => results);
    assertEquals(first!.map(({ outcome }) => outcome), ["passed", "passed"]);
    assertEquals(last!.map(({ name, outcome }) => [name, outcome]), [
      ["one", "passed"],
      ["another", "passed"],
    ]);
    const failed = broken!.filter(({ outcome }) => outcome === "failed");
    assertStringIncludes(failed.map(({ error }) => error).join(), "no world");
  } finally {
    await rm(folder, { recursive: true });
  }
});

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
