import { posix } from "node:path";
import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

const FOLDER = "docs/decisions";
const INDEX = `${FOLDER}/README.md`;
const HEADING = /^## (D\d+) .+$/gm;

/** Checks that each decision has a number, and each page a line in the index with its numbers. */
export function checkDecisions(files: readonly SourceFile[]): Violation[] {
  const index = files.find(({ path }) => path === INDEX)?.text ?? "";
  const found: Violation[] = [];
  const lines: string[] = [];
  for (const { path, text } of files) {
    if (posix.dirname(path) !== FOLDER || path === INDEX) continue;
    const numbers = Array.from(text.matchAll(HEADING), ([, number]) => number);
    const [, title] = /^# (.+)/.exec(text) ?? [];
    lines.push(`- [${title}](${posix.basename(path)}): ${numbers.join(", ")}`);
    if (text.match(/^## .+/gm)?.length !== numbers.length) {
      const message = "a heading is not `## D<number> <title>`";
      found.push({ path, line: 1, message });
    }
  }
  const listed = Array.from(index.matchAll(/^- \[.*: D\d.*$/gm), ([line]) => line);
  for (const line of lines.filter((expected) => !listed.includes(expected))) {
    found.push({ path: INDEX, line: 1, message: `misses the line ${line}` });
  }
  for (const line of listed.filter((present) => !lines.includes(present))) {
    found.push({ path: INDEX, line: 1, message: `has a line that fits no page: ${line}` });
  }
  return found;
}
