import { assert, assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { repositoryFiles, ROOT } from "./rules/repository_files.ts";

/** `## You run the platform` → `you-run-the-platform`, as the usual readers of Markdown make it. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(" ", "-");
}

test("every link of a page to another file or heading of the repository leads there", async () => {
  const pages = (await repositoryFiles()).filter(({ path }) => path.endsWith(".md"));
  assert(pages.some(({ path }) => path === "README.md"));
  const headings = new Map(pages.map(({ path, text }) => [
    path,
    new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!))),
  ]));
  const dead: string[] = [];
  for (const { path, text } of pages) {
    const prose = text.replace(/```[^]*?```/g, "");
    for (const [, target = ""] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file = "", anchor] = target.split("#");
      const found = file === "" ? path : join(dirname(path), file);
      if (!existsSync(join(ROOT, found))) dead.push(`${path}: ${target}`);
      else if (anchor && headings.get(found)?.has(anchor) === false) {
        dead.push(`${path}: ${target}`);
      }
    }
  }
  assertEquals(dead, []);
});
