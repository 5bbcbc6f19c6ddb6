import { posix } from "node:path";
import type { SourceFile } from "./repository_files.ts";
import { lineOf, type Violation } from "./violation.ts";

const PAGE = "ARCHITECTURE.md";
/** A folder with one of these has a purpose to be stated. */
const SOURCE = /^(packages|clients|loadtest|test|tools)\/.*\.(tsx?|mts|mjs|sql|py|go|java)$/;
const FOLDER_ROW = /^\| `((?:packages|clients|loadtest|test|tools|docs)[\w/-]*)` \| ./gm;

/** Each folder with source has a row in ARCHITECTURE.md that says what it is for; each row is a folder. */
export function checkArchitecture(files: readonly SourceFile[]): Violation[] {
  const text = files.find(({ path }) => path === PAGE)?.text ?? "";
  const found: Violation[] = [];
  const folders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
  const stated = new Set<string>();
  for (const match of text.matchAll(FOLDER_ROW)) {
    const folder = match[1]!;
    stated.add(folder);
    if (folders.has(folder)) continue;
    const line = lineOf(text, match.index);
    found.push({ path: PAGE, line, message: `there is no folder ${folder}` });
  }
  const withSource = files.filter(({ path }) => SOURCE.test(path)).map(({ path }) =>
    folderOf(path)
  );
  for (const folder of new Set(withSource)) {
    if (stated.has(folder)) continue;
    found.push({ path: PAGE, line: 1, message: `has no row that says what ${folder} is for` });
  }
  return found;
}

/** The folder of a file; of another language's sources, that language's. */
function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return path.startsWith("clients/") ? folder.split("/").slice(0, 2).join("/") : folder;
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}
