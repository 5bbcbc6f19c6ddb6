import { posix } from "node:path";
import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

const PAGE = "ARCHITECTURE.md";
/** A folder with one of these is a room. */
const SOURCE = /^(packages|clients|loadtest|test|tools)\/.*\.(ts|mts|mjs|sql|py|go|java)$/;
const ROOM = /^\| `((?:packages|clients|loadtest|test|tools|docs)[\w/-]*)` \| ./gm;
const ARROWS_ROW = /^\| `(\w+)` \| (nothing|`\w+`(?:, `\w+`)*) \|$/gm;

/**
 * Holds ARCHITECTURE.md to the tree: each folder with source has a row that says what it is for, each
 * row is a folder, and the table of imports is the rule that is checked.
 *
 * @param arrows which of our packages each package may import
 */
export function checkArchitecture(
  files: readonly SourceFile[],
  arrows: Readonly<Record<string, readonly string[]>>,
): Violation[] {
  const text = files.find(({ path }) => path === PAGE)?.text ?? "";
  const found: Violation[] = [];
  const folders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
  const rows = new Set<string>();
  for (const match of text.matchAll(ROOM)) {
    const room = match[1]!;
    rows.add(room);
    if (folders.has(room)) continue;
    const line = text.slice(0, match.index).split("\n").length;
    found.push({ path: PAGE, line, message: `there is no folder ${room}` });
  }
  const rooms = files.filter(({ path }) => SOURCE.test(path)).map(({ path }) => roomOf(path));
  for (const room of new Set(rooms)) {
    if (rows.has(room)) continue;
    found.push({ path: PAGE, line: 1, message: `has no row that says what ${room} is for` });
  }
  const stated = Array.from(text.matchAll(ARROWS_ROW), (match) => [match[1]!, match[2]!]);
  const inTable = new Map(stated as [string, string][]);
  for (const [part, targets] of Object.entries(arrows)) {
    const right = targets.map((target) => `\`${target}\``).join(", ") || "nothing";
    if (inTable.get(part) === right) continue;
    found.push({
      path: PAGE,
      line: 1,
      message: `${part} may import ${right}, says the import rule`,
    });
  }
  return found;
}

/** The folder of a file; of another language's sources, that language's. */
function roomOf(path: string): string {
  const folder = posix.dirname(path);
  return path.startsWith("clients/") ? folder.split("/").slice(0, 2).join("/") : folder;
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}
