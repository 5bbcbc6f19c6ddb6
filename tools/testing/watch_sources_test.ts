import { assertEquals } from "@std/assert";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { watchSources } from "./watch_sources.ts";

test("watchSources() reports a change of a source in a folder below, and one that came before", async () => {
  const root = await mkdtemp(join(tmpdir(), "sabika-watch-"));
  await mkdir(join(root, "packages", "a", "node_modules"), { recursive: true });
  await writeFile(join(root, "packages", "a", "x.ts"), "1");
  const sources = watchSources(["packages"], root);
  try {
    let isSeen = false;
    const seen = sources.changed().then(() => isSeen = true);
    await writeFile(join(root, "packages", "a", "note.log"), "not a source");
    await writeFile(join(root, "packages", "a", "node_modules", "y.ts"), "not ours");
    await new Promise((resolve) => setTimeout(resolve, 300));
    assertEquals(isSeen, false);
    await writeFile(join(root, "packages", "a", "x.ts"), "2");
    await seen;
    await writeFile(join(root, "packages", "a", "x.ts"), "3");
    await new Promise((resolve) => setTimeout(resolve, 300));
    await sources.changed();
  } finally {
    sources.close();
    await rm(root, { recursive: true });
  }
});
