import { assertEquals, assertRejects } from "@std/assert";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { runGo } from "./build_go_program.ts";

test("a build that fails says what go was to do, and go's last words", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sabika-go-"));
  const { PATH = "" } = process.env;
  try {
    const script = "#!/bin/sh\necho fetching >&2\necho no room left >&2\nexit 1\n";
    await writeFile(join(folder, "go"), script, { mode: 0o755 });
    process.env.PATH = `${folder}${delimiter}${PATH}`;
    for (const besideOthers of [undefined, "a run"]) {
      const error = await assertRejects(
        () => runGo("k6", folder, ["build", "-o", "k6"], besideOthers),
        Error,
      );
      assertEquals(
        error.message,
        `"go build -o k6" in tools/k6 ended with 1: fetching\nno room left`,
      );
    }
  } finally {
    process.env.PATH = PATH;
    await rm(folder, { recursive: true });
  }
});
