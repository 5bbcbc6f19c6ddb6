import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT, type SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

/** `## You run the platform` → `you-run-the-platform`, as the usual readers of Markdown make it. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(" ", "-");
}

/**
 * The links of Markdown pages to files or headings of the repository that lead nowhere.
 *
 * @param exists whether there is a file or folder at a path from the root
 */
export function checkLinks(
  files: readonly SourceFile[],
  exists: (path: string) => boolean = (path) => existsSync(join(ROOT, path)),
): Violation[] {
  const pages = files.filter(({ path }) => path.endsWith(".md"));
  const anchors = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]));
  const found: Violation[] = [];
  for (const { path, text } of pages) {
    for (const [index, line] of withoutCode(text).split("\n").entries()) {
      for (const [, target = ""] of line.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const [file = "", anchor] = target.split("#");
        const page = file === "" ? path : posix.join(posix.dirname(path), file);
        const leads = exists(page) &&
          (anchor === undefined || anchors.get(page)?.has(anchor) !== false);
        if (!leads) found.push({ path, line: index + 1, message: `${target} leads nowhere` });
      }
    }
  }
  return found;
}

function anchorsOf(text: string): Set<string> {
  const headings = withoutCode(text).matchAll(/^#+ (.+)$/gm);
  return new Set(Array.from(headings, ([, heading]) => anchorOf(heading!)));
}

/** The text with its code blocks blanked out, lines kept. */
function withoutCode(text: string): string {
  return text.replace(/```[^]*?```/g, (block) => block.replace(/[^\n]/g, ""));
}
