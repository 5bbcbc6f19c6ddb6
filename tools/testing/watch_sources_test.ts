import { assertEquals } from "@std/assert";
import { watch } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { watchSources } from "./watch_sources.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";

test("watchSources() reports a change of a source in a folder below, and one that came before", async () => {
  const root = temporaryFolder();
  await mkdir(join(root, "packages", "a", "node_modules"), { recursive: true });
  await writeFile(join(root, "packages", "a", "x.ts"), "1");
  const sources = watchSources(["packages"], root);
  const watcher = watch(join(root, "packages"), { recursive: true });
  try {
    const arrived = (name: string) =>
      new Promise<void>((resolve) => watcher.on("change", (_, path) => path === name && resolve()));
    let isSeen = false;
    const seen = sources.changed().then(() => isSeen = true);
    const passedOver = arrived(join("a", "note.log"));
    await writeFile(join(root, "packages", "a", "node_modules", "y.ts"), "not ours");
    await writeFile(join(root, "packages", "a", "note.log"), "not a source");
    await passedOver;
    assertEquals(isSeen, false);
    await writeFile(join(root, "packages", "a", "x.ts"), "2");
    await seen;
    const before = arrived(join("a", "x.ts"));
    await writeFile(join(root, "packages", "a", "x.ts"), "3");
    await before;
    await sources.changed();
  } finally {
    watcher.close();
    sources.close();
  }
});
