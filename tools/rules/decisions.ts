import { posix } from "node:path";
import { anchorOf } from "./links.ts";
import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

const FOLDER = "docs/decisions";
const INDEX = `${FOLDER}/README.md`;
const HEADING = /^## (D\d+) (.+)\n\nStatus: (.+)$/gm;

/** Each decision has a status, and its row in the index. */
export function checkDecisions(files: readonly SourceFile[]): Violation[] {
  const index = files.find(({ path }) => path === INDEX)?.text ?? "";
  const found: Violation[] = [];
  const rows: string[] = [];
  for (const { path, text } of files) {
    if (posix.dirname(path) !== FOLDER || path === INDEX) continue;
    const page = posix.basename(path);
    for (const [, number, title, status] of text.matchAll(HEADING)) {
      const anchor = anchorOf(`${number} ${title}`);
      rows.push(`| ${number} | [${title}](${page}#${anchor}) | ${status} |`);
    }
    const headings = text.match(/^## .+/gm)?.length ?? 0;
    if (headings !== [...text.matchAll(HEADING)].length) {
      const message = "a heading is not `## D<number> <title>` with `Status: …` below";
      found.push({ path, line: 1, message });
    }
  }
  const listed = Array.from(index.matchAll(/^\| D\d+ \|.*$/gm), ([row]) => row);
  for (const row of rows.filter((one) => !listed.includes(one))) {
    found.push({ path: INDEX, line: 1, message: `misses the row ${row}` });
  }
  for (const row of listed.filter((one) => !rows.includes(one))) {
    found.push({ path: INDEX, line: 1, message: `has a row that fits no decision: ${row}` });
  }
  return found;
}
